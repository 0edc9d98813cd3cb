import { followCommandLine } from '../../src/cli/command-line.ts';

/** A test's request: the arguments after `latchkey`, and the whole environment. */
export interface CommandRequest {
  args: string[];
  environment: NodeJS.ProcessEnv;
}

export interface Answered {
  code: number;
  stdout: string;
  stderr: string;
}

/** Returns a function with everything written to a stream of this process from now on. */
function collect(stream: NodeJS.WriteStream): () => string {
  let text = '';
  stream.write = (chunk: string | Uint8Array) => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    return true;
  };
  return () => {
    const taken = text;
    text = '';
    return taken;
  };
}

const [stdout, stderr] = [collect(process.stdout), collect(process.stderr)];
// Each refused start leaves its signal listeners behind, which is fine because the process normally exits.
process.setMaxListeners(0);

process.on('message', async ({ args, environment }: CommandRequest) => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, environment);
  const code = await followCommandLine(args);
  process.send?.({ code, stdout: stdout(), stderr: stderr() } satisfies Answered);
});
process.once('disconnect', () => process.exit());
