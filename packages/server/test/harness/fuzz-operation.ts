import type { Operation } from '@latchkey/kernel';
import { attackRequest, flipBit } from './attack-request.ts';
import { problemsOf } from './check-answer.ts';
import { onConsole } from './console-session.ts';
import { type Dice, throwDice } from './dice.ts';
import { codeOf } from './error-shape.ts';
import { aliceId } from './identities.ts';
import { mutateRequest } from './mutate-request.ts';
import { isForFewCalls, isOfApps, type Share, samplesFor } from './operation-samples.ts';
import { sendRaw } from './raw-http.ts';
import { type Draft, sampleRequest } from './sample-request.ts';
import { isInternalOnly, isMounted, isOperatorOnly, served } from './served.ts';
import { endsAll, isAboutLoginMethods, sessionFor } from './set-up-login-methods.ts';
import { basicOf } from './set-up-oauth.ts';
import { isOnTelegram, type World } from './set-up-world.ts';
import { newAddress } from './visit-server.ts';
import { writeCurl } from './write-curl.ts';
import { type WireRequest, writeRequest } from './write-request.ts';

export interface FuzzReport {
  /** How often each status and code was returned. */
  answers: Map<string, number>;
  slowestMs: number;
  /** The failures, with a command line that reproduces them. */
  failures: { problem: string; curl: string }[];
}

export interface FuzzOptions {
  requests: number;
  atOnce: number;
  seed: string;
}

const shareOf =
  ({ requests }: FuzzOptions): Share =>
  (count) =>
    Math.max(2, Math.ceil((count * requests) / 300));

/** Sends an operation valid, nearly valid and hostile requests, a third of each, with changing credentials. */
export async function fuzzOperation(world: World, operation: Operation, options: FuzzOptions): Promise<FuzzReport> {
  const report: FuzzReport = { answers: new Map(), slowestMs: 0, failures: [] };
  const share = shareOf(options);
  const samples = await samplesFor(world, operation, share);
  const { key } = await world.server.apiKey(['$all'], aliceId);
  let next = 0;
  const sendSome = async () => {
    while (next < options.requests) {
      const number = next++;
      const dice = throwDice(`${options.seed} ${operation.route} ${number}`);
      const isRight = number % rightEvery === 0;
      const draft = sampleRequest(operation, samples, dice);
      if (isRight) draft.query = draft.query.filter(([name]) => name !== 'paginationToken' || isOfApps(operation));
      const request = makeRequest(number, draft, dice);
      const roll = isRight ? rightRoll(operation) : dice.below(100);
      const credential = await drawCredential(world, endingAll(request) ?? operation, key, { dice, roll });
      const headers = [...request.headers, ...credential, ['x-forwarded-for', newAddress()] as const];
      await sendOne(world, operation, { ...request, headers }, report);
    }
  };
  await Promise.all(Array.from({ length: options.atOnce }, sendSome));
  return report;
}

function makeRequest(number: number, draft: Draft, dice: Dice): WireRequest {
  if (number % 3 === 0) return writeRequest(draft);
  if (number % 3 === 1) return writeRequest(mutateRequest(draft, dice));
  draft.query = draft.query.map(([name, value]) => [name, name === 'paginationToken' ? flipBit(value, dice) : value]);
  return attackRequest(writeRequest(draft), dice);
}

let newcomers = 0;

type Headers = WireRequest['headers'];

/** One in this many requests comes from a permitted caller and matches the contract. */
const rightEvery = 9;

function rightRoll(operation: Operation): number {
  return isOperatorOnly(operation) ? 35 : 0;
}

async function drawCredential(
  world: World,
  operation: Operation,
  key: string,
  { dice, roll }: { dice: Dice; roll: number },
): Promise<Headers> {
  const { server, mallory } = world;
  if (isMounted(operation) && roll < 60) return [['authorization', basicOf(world.oauth.client)]];
  const alice = await tokenOfAlice(world, operation);
  const isNewcomer = isForFewCalls(operation) ? roll < 78 : roll >= 60 && roll < 78;
  if (isNewcomer) return [['authorization', await server.aeToken(`DIS#USER#new${newcomers++}`)]];
  const through = isInternalOnly(operation) ? [['x-api-key', world.internalKey] as const] : [];
  if (roll < 35)
    return [['authorization', alice], ...through, ...(isAboutLoginMethods(operation) ? Object.entries(onConsole) : [])];
  if (roll < 60) return [['x-api-key', server.adminKey]];
  if (roll < 85) return [['authorization', endsAll.includes(operation.route) ? alice : mallory]];
  if (roll < 95) return [...(roll < 90 ? [['authorization', alice] as const] : []), ['x-api-key', key]];
  return roll < 98
    ? []
    : [['authorization', dice.pick(['AE x', 'Bearer lk_at_', 'Ethereum e30.e30.e30', 'constructor x', ''])]];
}

async function tokenOfAlice(world: World, operation: Operation): Promise<string> {
  if (isAboutLoginMethods(operation)) return sessionFor(world.server, operation);
  return isOnTelegram(operation) ? world.onTelegram.alice : world.alice;
}

async function sendOne(world: World, operation: Operation, request: WireRequest, report: FuzzReport) {
  const fail = (problem: string) => report.failures.push({ problem, curl: writeCurl(world.server.url, request) });
  try {
    const answer = await sendRaw(world.server.url, request);
    const code = answer.status < 400 ? undefined : codeOf(answer.body.toString());
    const kind = `${answer.status} ${code ?? ''}`.trim();
    report.answers.set(kind, (report.answers.get(kind) ?? 0) + 1);
    report.slowestMs = Math.max(report.slowestMs, answer.ms);
    for (const problem of problemsOf(request.method, pathOf(operation, request), answer)) fail(problem);
  } catch (error) {
    fail(String(error));
  }
}

/** Returns the operation that ends all of its caller's sessions, if an attack turned a request into one for it. */
function endingAll({ method, target }: WireRequest): Operation | undefined {
  const path = readPath(target);
  return served.find(
    (other) => endsAll.includes(other.route) && other.method === method && patterns.get(other)?.test(path),
  );
}

/** Returns the pattern that a target matches, which an attack may have changed to another operation. */
function pathOf(operation: Operation, { method, target }: WireRequest): string {
  const path = readPath(target);
  const fits = (other: Operation) => patterns.get(other)?.test(path) ?? false;
  if (fits(operation)) return operation.path;
  return served.find((other) => other.method === method && fits(other))?.path ?? path;
}

function readPath(target: string): string {
  return decodeLetters(target.replace(/^http:\/\/evil\.example/, '').replace(/[?#].*/s, ''));
}

const patterns = new Map(served.map((operation) => [operation, patternOf(operation)]));

function patternOf({ path }: Operation): RegExp {
  const inside = path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${inside}/?$`);
}

/** Escaped letters are the letters themselves; an escaped slash is not a slash. */
function decodeLetters(path: string): string {
  return path.replace(/%([67][0-9a-f])/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
