import { errorCodes, errorStatusesOf, type Operation } from '@latchkey/kernel';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { codeOf, operationErrorProblems } from './error-shape.ts';
import type { RawAnswer } from './raw-http.ts';
import { served } from './served.ts';

/** Traces of internals: stacks, files, PostgreSQL messages, and the names of our tables with their underscores. */
const leaks = [
  /\n {4}at |\\n {4}at /,
  /node_modules|file:\/\/\/|\/packages\/|\.[tj]s:\d+|node:internal/,
  /syntax error at or near|violates \w+(-\w+)? constraint|relation "|SQLSTATE|invalid input syntax|\bpg_(catalog|class|sleep|stat\w*)\b/,
  /client_apps|(?<!dpop_bound_)access_tokens|api_key_hash|organization_otps|idempotent_requests|rate_windows|_enrolments/,
  /community_(admins|rules|members|plans|apps|wallets)|change_set|reconcile_queue|role_(ledger|checks)|wallet_connections/,
  /guest_pass|discord_interactions|permission_questions|reddit_tokens|read_holdings|followed_(blocks|chains)/,
  /oauth_(accounts|grants|artifacts)|user_authorizations|consent_decisions|hosted_wallets|registrar_keys/,
  /account_(erasures|link_attempts)|platform_logins|kept_secrets|mini_app_manifests|payment_(checkouts|subscriptions|ledger|events)/,
  /near_(seen_\w+|receipt_origins|function_calls|call_\w+|token_accounts|nonces|intents|sign_in_sessions)/,
  /audit_entries|sample_world|admin_keys|treasury_(actions|payers)|nft_describers/,
  /snapshot_(links|events|posts)|support_(requesters|tickets)|nft_\w+_metadata|waiting_list_\w+|paymaster_grants/,
];

const ajv = new Ajv({ strict: false, formats: { Asset: true, BigNumber: true } });
ajv.addVocabulary(['x-name', 'x-in', 'x-exact']);
(addFormats as unknown as (target: Ajv) => void)(ajv);
const validators = new Map<Operation, ValidateFunction>();

/** Returns what is wrong with a response; empty if the contract allows it. `path` is the pattern of the operation. */
export function problemsOf(method: string, path: string, answer: RawAnswer): string[] {
  const text = answer.body.toString();
  const type = answer.headers.get('content-type') ?? '';
  const leak = type.startsWith('image/') ? undefined : leaks.find((pattern) => pattern.test(text));
  const problems = leak === undefined ? [] : [`a leak: ${leak.exec(text)?.[0]}`];
  const operation = operationAt(method, path);
  if (answer.status >= 500 && !isDeclared(operation, answer.status, text)) problems.push(`status ${answer.status}`);
  // A response to HEAD has no body by definition. Only a request that could not be parsed as HTTP gets one.
  if (method === 'HEAD' && text === '') return problems;
  if (method === 'HEAD' && answer.status !== 400 && answer.status !== 431) return [...problems, 'a body for HEAD'];
  if (answer.status >= 400)
    return [
      ...problems,
      ...(operation === undefined || isPostedAmiss(method, path, answer.status)
        ? []
        : undescribed(operation, answer.status, text)),
      ...operationErrorProblems(operation, answer.status, type, text),
    ];
  if (operation === undefined && plainPaths.test(path)) return problems;
  const status = isPostedRequest(method, path) ? seeOther : operation?.answer.status;
  return [...problems, ...successProblems(operation, status, answer, text)];
}

/** Codes of requests that never reached the intended operation. */
const onTheWay = ['METHOD_NOT_ALLOWED', 'ROUTE_NOT_FOUND', 'UNSUPPORTED_MEDIA_TYPE'];

function undescribed(operation: Operation, status: number, text: string): string[] {
  const isDescribed = errorStatusesOf(operation).includes(status) || onTheWay.includes(codeOf(text) ?? '');
  return isDescribed ? [] : [`status ${status} (${codeOf(text)}), which the description of ${operation.route} lacks`];
}

/** Some operations depend on services that may be unavailable. The database never is, in these tests. */
function isDeclared(operation: Operation | undefined, status: number, text: string): boolean {
  const isPossible = operation?.contract.errors?.includes('UNAVAILABLE') === true;
  return (
    isPossible && status === errorCodes.UNAVAILABLE.status && !text.includes('The database is temporarily unavailable')
  );
}

/** OpenID Connect Core 3.1.2.1 also requires authorization by POST, which is not published as an operation. */
function isPostedRequest(method: string, path: string): boolean {
  return method === 'POST' && path === '/oauth2/authorize';
}

/** A posted request has a body, which may not be a form; the published operation has none. */
function isPostedAmiss(method: string, path: string, status: number): boolean {
  return isPostedRequest(method, path) && status === unsupportedMediaType;
}

function operationAt(method: string, path: string): Operation | undefined {
  const published = isPostedRequest(method, path) ? 'GET' : method;
  return served.find((candidate) => candidate.method === published && candidate.path === path);
}

/** What is served besides the operations: the front page in all notations, pages, and machine-readable files. */
const plainPaths =
  /^((http:\/\/[^/]*|\*)?\/*|\/(account|connect)\/?|(\/latchkey)?\/openapi\.json|\/health\/(live|ready)|\/metrics)$/;

const seeOther = 303;
const unsupportedMediaType = 415;

function successProblems(
  operation: Operation | undefined,
  expected: number | undefined,
  { status, headers, body }: RawAnswer,
  text: string,
): string[] {
  // Besides the operations, only preflights get a success.
  if (operation === undefined) return status === 204 && text === '' ? [] : [`status ${status} for no operation`];
  const { answer, route } = operation;
  if (status !== expected) return [`status ${status} instead of ${expected}`];
  switch (answer.kind) {
    case 'none':
      return text === '' ? [] : ['a body where there should be none'];
    case 'redirect':
      return URL.canParse(headers.get('location') ?? '') ? [] : ['a redirect to nowhere'];
    case 'png':
      return body.subarray(1, 4).toString() === 'PNG' ? [] : ['a picture that is none'];
    case 'text':
      return text === '' ? ['an empty text'] : [];
    case 'events':
      return text.startsWith(':') ? [] : ['events that do not begin with a comment'];
    case 'json': {
      const validate = validators.get(operation) ?? ajv.compile(answer.schema ?? {});
      validators.set(operation, validate);
      return validate(JSON.parse(text)) ? [] : [`${route} broke its schema: ${ajv.errorsText(validate.errors)}`];
    }
  }
}
