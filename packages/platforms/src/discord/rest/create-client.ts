import type { RequestMethod } from '@discordjs/rest';
import { PlatformFailed } from '@latchkey/core/ports';
import {
  Governor,
  type GovernorOptions,
  GovernorPaused,
  type Method,
  type Priority,
  type Route,
  routeOf,
} from '../governor/index.ts';
import { createRest, type Exchange, type RestOptions, readExchange } from './create-rest.ts';
import type { RequestOf } from './requests.ts';

export interface DiscordClientOptions extends GovernorOptions {
  /** The bot's token. It is sent in the authorization header and appears nowhere else. */
  token: string;
  apiUrl?: string;
  timeoutMs?: number;
  fetch: RestOptions['fetch'];
}

/** What goes with a request: `Request` is Discord's own type of its body and query. */
export interface DiscordCall<Request extends { body: unknown; query: unknown } = { body: unknown; query: unknown }> {
  priority?: Priority;
  query?: Request['query'];
  body?: Request['body'];
  /** A file beside the body, under the name of its field. */
  file?: { field: string; name: string; text: string };
  /** Shown in the guild's audit log. */
  reason?: string;
  signal?: AbortSignal | undefined;
  /** A user's own token, instead of the bot's. Discord counts the calls of each user separately. */
  bearer?: { token: string; userId: string };
  /** Called on a refusal before any other call is sent, so that calls that would be refused too can be held back. */
  onRefused?: ((answer: Refused) => void) | undefined;
}

/** The result of a call. Discord's refusals are results, not exceptions: `code` is Discord's error code. */
export type DiscordAnswer =
  | { kind: 'ok'; body: unknown }
  | { kind: 'refused'; status: number; code: number; message: string }
  | { kind: 'unavailable'; reason: string; retryAfterSeconds: number };

export type Refused = Extract<DiscordAnswer, { kind: 'refused' }>;

type CallOf<M extends Method, Path extends string> = [RequestOf<M, Path>] extends [never]
  ? [isNotDescribed: never]
  : [call?: DiscordCall<RequestOf<M, Path>>];

export interface DiscordClient {
  governor: Governor;
  /** Takes what Discord describes: with an unknown method or path, there is no value for the third parameter. */
  call<M extends Method, const Path extends `/${string}`>(
    method: M,
    path: Path,
    ...call: CallOf<M, Path>
  ): Promise<DiscordAnswer>;
}

export const discordApiUrl = 'https://discord.com/api';

const retryAfterSeconds = 5;
// Retrying does not fix a wrong token; each attempt counts towards the ban of the IP address.
const wrongTokenPauseMs = 60_000;

export function createDiscordClient(options: DiscordClientOptions): DiscordClient {
  const governor = new Governor(options);
  const rest = createRest({
    token: options.token,
    apiUrl: options.apiUrl ?? discordApiUrl,
    timeoutMs: options.timeoutMs ?? 15_000,
    fetch: options.fetch,
  });
  let wrongTokenUntilMs = 0;
  return {
    governor,
    call: async (
      method: Method,
      path: string,
      { priority = 'ask', query, body, file, reason, signal, bearer, onRefused }: DiscordCall = {},
    ) => {
      if (!plainPath.test(path)) return malformedId;
      const route = bearer === undefined ? routeOf(method, path) : routeFor(bearer, routeOf(method, path));
      const isBots = bearer === undefined && !route.isExemptFromGlobal;
      if (isBots && governor.time.nowMs() < wrongTokenUntilMs) return wrongToken;
      try {
        const exchange = await governor.run({ route, priority, signal }, async () => {
          const response = await rest.queueRequest({
            method: method as RequestMethod,
            fullRoute: path as `/${string}`,
            auth: isBots,
            ...(bearer === undefined ? {} : { headers: { authorization: `Bearer ${bearer.token}` } }),
            ...(query === undefined ? {} : { query: new URLSearchParams(query as Record<string, string>) }),
            ...(body === undefined ? {} : { body }),
            ...(file === undefined
              ? {}
              : { files: [{ key: file.field, name: file.name, data: file.text, contentType: 'text/csv' }] }),
            ...(reason === undefined ? {} : { reason: reason.slice(0, 512) }),
            signal,
          });
          const read = await readExchange(response);
          const answer = onRefused && answerOf(read);
          if (answer?.kind === 'refused' && answer.status !== 401) onRefused?.(answer);
          return read;
        });
        if (exchange.status !== 401 || !isBots) return answerOf(exchange);
        wrongTokenUntilMs = governor.time.nowMs() + wrongTokenPauseMs;
        return wrongToken;
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        const paused = error instanceof GovernorPaused ? error : undefined;
        return {
          kind: 'unavailable',
          // The library's own message is left out: it can contain the URL, which includes a webhook's token.
          reason: paused?.message ?? 'Discord did not respond.',
          retryAfterSeconds: paused?.retryAfterSeconds ?? retryAfterSeconds,
        };
      }
    },
  };
}

/** Calls with user tokens still count towards what this process sends per second, so that roles have priority over them. */
function routeFor({ userId }: NonNullable<DiscordCall['bearer']>, route: Route): Route {
  return { ...route, major: `user ${userId}` };
}

// Ids come from rules and requests. An id with dots and slashes could lead the bot to another guild.
const plainPath = /^(?:\/(?!\.{1,2}(?:\/|$))[\w@.~-]+)+$/;

const malformedId: DiscordAnswer = {
  kind: 'refused',
  status: 400,
  code: 50035,
  message: 'An id is malformed.',
};

const wrongToken: DiscordAnswer = {
  kind: 'refused',
  status: 401,
  code: 0,
  message: 'Discord rejected the bot token. Set a valid one.',
};

function answerOf({ status, body }: Exchange): DiscordAnswer {
  if (status >= 200 && status < 300) return { kind: 'ok', body };
  if (status === 429 || status >= 500)
    return { kind: 'unavailable', reason: `Discord responded with status ${status}.`, retryAfterSeconds };
  const { code, message } = isErrorBody(body) ? body : { code: 0, message: `Discord responded with status ${status}.` };
  return { kind: 'refused', status, code, message: [message, findComplaint(body)].filter(Boolean).join(': ') };
}

/** Returns the first field that Discord complains about, and why: `content: Must be 2000 or fewer in length.` */
function findComplaint(body: unknown): string | undefined {
  const path: string[] = [];
  let inner: unknown = Object(body).errors;
  while (typeof inner === 'object' && inner !== null) {
    if ('_errors' in inner && Array.isArray(inner._errors)) {
      const { message } = Object(inner._errors[0]);
      return [path.join('.'), String(message).slice(0, 200)].filter(Boolean).join(': ');
    }
    const [first] = Object.entries(inner);
    if (first === undefined) return undefined;
    path.push(first[0]);
    inner = first[1];
  }
  return undefined;
}

function isErrorBody(body: unknown): body is { code: number; message: string } {
  return (
    typeof body === 'object' && body !== null && 'code' in body && typeof body.code === 'number' && 'message' in body
  );
}

/** Converts the refusal of a read to `PlatformFailed`. */
export function platformFailed(answer: Exclude<DiscordAnswer, { kind: 'ok' }>): PlatformFailed {
  if (answer.kind === 'unavailable') return new PlatformFailed('unavailable', answer.reason, answer.retryAfterSeconds);
  if (answer.status === 401) return new PlatformFailed('not-configured', answer.message);
  if (answer.code === codes.unknownGuild || answer.code === codes.missingAccess)
    return new PlatformFailed('unknown-community', 'The bot is not in this Discord server. Invite it and try again.');
  if (answer.code === codes.missingPermissions)
    return new PlatformFailed('forbidden', 'Discord does not allow the bot to do this. Check its permissions.');
  return new PlatformFailed('forbidden', `Discord rejected this: ${answer.message.replace(/[.\s]*$/, '')}.`);
}

/** The Discord error codes that decisions are based on. */
export const codes = {
  unknownChannel: 10003,
  unknownGuild: 10004,
  unknownInvite: 10006,
  unknownMember: 10007,
  unknownMessage: 10008,
  unknownRole: 10011,
  unknownUser: 10013,
  unknownWebhook: 10015,
  missingAccess: 50001,
  emptyMessage: 50006,
  missingPermissions: 50013,
  invalidWebhookToken: 50027,
  invalidRole: 50028,
  invalidForm: 50035,
  invalidJson: 50109,
} as const;
