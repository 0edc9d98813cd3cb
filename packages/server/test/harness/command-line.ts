import { fork, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Answered, CommandRequest } from './command-line-process.ts';
import { type Environment, environmentOf, shortResolve } from './processes.ts';

const program = fileURLToPath(new URL('./command-line-process.ts', import.meta.url));

/** A process that runs one command line after the other, which saves loading all modules for each. */
export interface CommandLine extends AsyncDisposable {
  run(args: readonly string[], environment: Environment): Promise<Answered>;
}

export function startCommandLine(): CommandLine {
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', 'ipc'];
  const child = fork(program, { cwd: tmpdir(), env: environmentOf({}), execArgv: [shortResolve], stdio });
  let beside = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      beside += text;
    });
  const ended = once(child, 'exit');
  let last: Promise<unknown> = Promise.resolve();

  async function ask(request: CommandRequest): Promise<Answered> {
    const answered = once(child, 'message') as Promise<[Answered]>;
    child.send(request);
    const answer = await Promise.race([answered, ended.then(() => undefined)]);
    if (answer === undefined) throw new Error(`latchkey ${request.args.join(' ')} ended the process:\n${beside}`);
    return answer[0];
  }

  return {
    run: (args, environment) => {
      const request = { args: [...args], environment: environmentOf(environment) };
      const answer = last.then(() => ask(request));
      last = answer.catch(() => undefined);
      return answer;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
