/** Import this before React, which reads `NODE_ENV` once: the build of React that hydrates pages must render them. */
import process from "node:process";

process.env.NODE_ENV = "production";
