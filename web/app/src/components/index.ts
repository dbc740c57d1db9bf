export { Badge } from "./badge.js";
export { CopyButton } from "./copy.js";
export { Dialog } from "./dialog.js";
export { AccountLink, Hash, ProjectLink } from "./ids.js";
export { More } from "./pager.js";
export { Command, Empty, ErrorMessage, Skeleton } from "./state.js";
export { Rows, Table } from "./table.js";
export { type Tab, Tabs } from "./tabs.js";
export { Ago } from "./time.js";
