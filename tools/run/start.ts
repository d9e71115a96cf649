/** `deno task start`: installs packages and builds the page if needed, then runs the server (`launcher.ts`). */
import { projectRoot } from "../project_files.ts";
import { launch } from "./launcher.ts";
import { prepare } from "./prepare.ts";

Deno.exit(await launch(Deno.env.toObject(), (run) => prepare(projectRoot, { run })));
