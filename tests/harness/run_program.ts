type Options = Omit<Deno.CommandOptions, "args" | "stdin" | "stdout" | "stderr">;

/** Runs a program with no input until it ends. */
export async function runProgram(program: string, args: string[], options: Options = {}) {
  const command = new Deno.Command(program, { args, stdin: "null", ...options });
  const { code, ...streams } = await command.output();
  const stdout = new TextDecoder().decode(streams.stdout);
  const stderr = new TextDecoder().decode(streams.stderr);
  return { code, stdout, stderr, output: stdout + stderr };
}

export const runDeno = (args: string[], options?: Options) =>
  runProgram(Deno.execPath(), args, options);
