// Everything that the frame and the first view do not need, in one script: one is compressed better than many, and a view is not shown in
// parts that arrive one after the other.
export { default as Review } from "./actions/review.js";
export { describe } from "./errors.js";
export { signerRemove } from "./session/custody.js";
export { default as Account } from "./views/account.js";
export { default as Block } from "./views/block.js";
export { default as Blocks } from "./views/blocks.js";
export { default as Message } from "./views/message.js";
export { default as Messages } from "./views/messages.js";
export { default as New } from "./views/new.js";
export { default as Node } from "./views/node.js";
export { default as Project } from "./views/project.js";
export { default as Search } from "./views/search.js";
export { default as Settings } from "./views/settings.js";
export { default as SignIn } from "./views/signin.js";
export { default as Validators } from "./views/validators.js";
