/**
 * Import this before anything that imports React. React decides by `NODE_ENV`, once, when it is
 * first loaded, which of its two builds it is; pages are rendered by the one that the browser
 * hydrates them with.
 */
import process from "node:process";

process.env.NODE_ENV = "production";
