import type { Operation } from '@latchkey/kernel';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { errorShapeProblems } from './error-shape.ts';
import type { RawAnswer } from './raw-http.ts';
import { served } from './served.ts';

/** Traces of the inside: stacks, files, what PostgreSQL says, and the names of our tables with their underscores. */
const leaks = [
  /\n {4}at |\\n {4}at /,
  /node_modules|file:\/\/\/|\/packages\/|\.[tj]s:\d+|node:internal/,
  /syntax error at or near|violates \w+(-\w+)? constraint|relation "|SQLSTATE|invalid input syntax|\bpg_(catalog|class|sleep|stat\w*)\b/,
  /client_apps|access_tokens|api_key_hash|organization_otps|idempotent_requests|rate_windows|_enrolments/,
  /community_(admins|rules|members|plans|apps|wallets)|role_(plans|ledger|touches|checks)|wallet_connections/,
  /guest_pass|discord_interactions|reddit_tokens|read_holdings|followed_(blocks|chains)/,
];

const ajv = new Ajv({ strict: false, formats: { Asset: true, BigNumber: true } });
ajv.addVocabulary(['x-name', 'x-in']);
(addFormats as unknown as (target: Ajv) => void)(ajv);
const validators = new Map<Operation, ValidateFunction>();

/** What is wrong with an answer; empty when it is one that the contract allows. `path` is the pattern of the operation. */
export function problemsOf(method: string, path: string, answer: RawAnswer): string[] {
  const text = answer.body.toString();
  const type = answer.headers.get('content-type') ?? '';
  const leak = type.startsWith('image/') ? undefined : leaks.find((pattern) => pattern.test(text));
  const problems = leak === undefined ? [] : [`a leak: ${leak.exec(text)?.[0]}`];
  if (answer.status >= 500) problems.push(`status ${answer.status}`);
  // The answer to HEAD has no body by definition. Only what could not even be read as HTTP is answered with one.
  if (method === 'HEAD' && text === '') return problems;
  if (method === 'HEAD' && answer.status !== 400 && answer.status !== 431) return [...problems, 'a body for HEAD'];
  if (answer.status >= 400) return [...problems, ...errorShapeProblems(answer.status, type, text)];
  const operation = served.find((candidate) => candidate.method === method && candidate.path === path);
  if (operation === undefined && plainPaths.test(path)) return problems;
  return [...problems, ...successProblems(operation, answer, text)];
}

/** What is served beside the operations: the front page, under each of its spellings, and what machines read. */
const plainPaths = /^((http:\/\/[^/]*|\*)?\/*|\/openapi\.json|\/health\/(live|ready)|\/metrics)$/;

function successProblems(operation: Operation | undefined, { status, headers, body }: RawAnswer, text: string) {
  // Beside the operations, only a browser that asks before a request is answered.
  if (operation === undefined) return status === 204 && text === '' ? [] : [`status ${status} for no operation`];
  const { answer, route } = operation;
  if (status !== answer.status) return [`status ${status} instead of ${answer.status}`];
  switch (answer.kind) {
    case 'none':
      return text === '' ? [] : ['a body where there should be none'];
    case 'redirect':
      return URL.canParse(headers.get('location') ?? '') ? [] : ['a redirect to nowhere'];
    case 'png':
      return body.subarray(1, 4).toString() === 'PNG' ? [] : ['a picture that is none'];
    case 'text':
      return text === '' ? ['an empty text'] : [];
    case 'json': {
      const validate = validators.get(operation) ?? ajv.compile(answer.schema ?? {});
      validators.set(operation, validate);
      return validate(JSON.parse(text)) ? [] : [`${route} broke its schema: ${ajv.errorsText(validate.errors)}`];
    }
  }
}
