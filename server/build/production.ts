/**
 * Import this before React, which reads `NODE_ENV` once, when it is loaded. Pages must be rendered by the
 * same build of React, the production build, that hydrates them in the browser.
 */
import process from "node:process";

process.env.NODE_ENV = "production";
