import { setTimeout } from 'node:timers/promises';
import { type CurlRequest, readCurl } from './read-curl.ts';
import { type Problem, problemAt, type Sample } from './read-samples.ts';
import { expand, ShellError, type ShellLine, splitShell, type Word } from './split-shell.ts';

/** What the comments beside a curl command expect of its response. */
interface Expectation {
  status: number | undefined;
  keeps: { name: string; path: string; line: number }[];
}

interface Answer {
  status: number;
  text: string;
  retryAfterSeconds: number;
}

const mostTries = 4;

type Step = { line: number; words: Word[] } & Expectation;

/** Sends the requests of a `bash run` sample. What it sets or keeps is added to the variables. */
export async function runSample(sample: Sample, variables: Map<string, string>): Promise<Problem[]> {
  const problems: Problem[] = [];
  const attempt = async (work: () => Promise<void>, line: number) => {
    try {
      await work();
    } catch (error) {
      const place = error instanceof ShellError ? error.line : line;
      problems.push(problemAt(sample, error instanceof Error ? error.message : String(error), place));
    }
  };
  await attempt(async () => {
    for (const step of readSteps(splitShell(sample.text))) await attempt(() => runStep(step, variables), step.line);
  }, 0);
  return problems;
}

/** Comments belong to the command above them. If the sample begins with an expectation, it belongs to the command below. */
function readSteps(lines: readonly ShellLine[]): Step[] {
  const steps: Step[] = [];
  const waiting: Expectation = { status: undefined, keeps: [] };
  const areAbove = isDirective(lines.find((line) => 'words' in line || isDirective(line)));
  for (const line of lines) {
    if ('words' in line) {
      steps.push({ ...line, status: waiting.status, keeps: waiting.keeps });
      Object.assign(waiting, { status: undefined, keeps: [] });
    } else {
      const target = areAbove ? waiting : steps.at(-1);
      if (isDirective(line)) note(line, target);
    }
  }
  if (waiting.status !== undefined || waiting.keeps.length > 0)
    throw new ShellError(lines.at(-1)?.line ?? 0, 'says something about the answer of a command that is not there');
  if (steps.length === 0) throw new ShellError(0, 'is marked as one that runs, but runs nothing');
  return steps;
}

function isDirective(line: ShellLine | undefined): boolean {
  return line !== undefined && 'comment' in line && /^(expect|keep)\b/.test(line.comment);
}

function note(line: ShellLine, target: Expectation | undefined): void {
  const comment = 'comment' in line ? line.comment : '';
  const [, status] = /^expect (\d{3})$/.exec(comment) ?? [];
  const [, name, path] = /^keep ([A-Z][A-Z0-9_]*) from ((?:\.\w+|\[\d+\])+)$/.exec(comment) ?? [];
  if (target === undefined) throw new ShellError(line.line, `"${comment}" stands beside no command`);
  if (status !== undefined) target.status = Number(status);
  else if (name !== undefined && path !== undefined) target.keeps.push({ name, path, line: line.line });
  else throw new ShellError(line.line, `"${comment}" is neither "expect 200" nor "keep NAME from .path[0].field"`);
}

async function runStep({ line, words, status, keeps }: Step, variables: Map<string, string>): Promise<void> {
  const texts = words.map((word) => expand(word, variables, line));
  const [first = '', ...rest] = texts;
  const [, name, value] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(first) ?? [];
  if (name !== undefined && value !== undefined && rest.length === 0) {
    variables.set(name, value);
    return;
  }
  if (first !== 'curl') throw new Error(`runs ${first}, and samples that run use curl and NAME=value alone`);
  const request = readCurl(rest);
  const server = variables.get('LATCHKEY_URL') ?? '';
  if (!request.url.startsWith(`${server}/`)) throw new Error(`sends something to ${request.url}, not to $LATCHKEY_URL`);
  const answer = await sendPatiently(request);
  const isExpected = status === undefined ? answer.status >= 200 && answer.status < 300 : answer.status === status;
  if (!isExpected)
    throw new Error(`was answered with ${answer.status} instead of ${status ?? '2xx'}: ${answer.text.slice(0, 600)}`);
  for (const keep of keeps) variables.set(keep.name, valueAt(answer.text, keep.path, keep.line));
}

/** A slow machine may not answer a chain reader in time. The server then says when to retry; other refusals are final. */
async function sendPatiently(request: CurlRequest): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await send(request);
    const isLate = answer.status === 503 && /\b(cannot|is being) (be )?read right now\b/.test(answer.text);
    if (!isLate || tries === mostTries) return answer;
    await setTimeout(1000 * answer.retryAfterSeconds);
  }
}

async function send({ method, url, headers, body }: CurlRequest): Promise<Answer> {
  // Like curl, which does not follow redirects by default.
  const response = await fetch(url, { method, headers, redirect: 'manual', ...(body !== undefined && { body }) });
  const retryAfterSeconds = Number(response.headers.get('retry-after') ?? 0);
  return { status: response.status, text: await response.text(), retryAfterSeconds };
}

function valueAt(text: string, path: string, line: number): string {
  let value: unknown = JSON.parse(text);
  for (const [, field, index] of path.matchAll(/\.(\w+)|\[(\d+)\]/g)) value = Object(value)[field ?? Number(index)];
  if (typeof value !== 'string' && typeof value !== 'number')
    throw new ShellError(line, `has nothing to keep at ${path} of the answer ${text.slice(0, 300)}`);
  return String(value);
}
