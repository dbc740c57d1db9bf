export { SessionMenu as Account } from "../session/menu.js";
