import { type FollowUp, followUpOn } from './follow-up.ts';
import type { Interaction, InteractionResponse, MiniAppEvent } from './interaction.ts';
import { readKeys, type ServerKeys } from './keys.ts';
import { printError } from './runtime.ts';
import { doubtCall } from './verify-call.ts';

/** What `GET /metadata` says of the app. */
export interface Metadata {
  manifest: { appId: string; developer: string; name: string; shortName?: string; [field: string]: unknown };
  applicationCommands?: readonly { name: string; description?: string; type?: number; [field: string]: unknown }[];
  supportedInteractions?: readonly {
    type: number;
    names?: readonly string[];
    ids?: readonly string[];
    [field: string]: unknown;
  }[];
  /** What you want in `actionContext`, for example `guildName`. */
  requiredContext?: readonly string[];
  [field: string]: unknown;
}

/** What a handler can do beside answering. */
export interface Tools {
  /** Further messages. */
  followUp: FollowUp;
  /** Goes on after the answer was given. A failure goes to `onError`. */
  later(work: () => Promise<unknown>): void;
}

export interface MiniAppOptions {
  keys: ServerKeys;
  metadata: Metadata;
  /** Answers what a person did; undefined for nothing to say. People wait at most three seconds before they see "thinking". */
  onInteraction(
    interaction: Interaction,
    tools: Tools,
  ): Promise<InteractionResponse | undefined> | InteractionResponse | undefined;
  /** Hears when a community installs or uninstalls the app. */
  onEvent?(event: MiniAppEvent): Promise<void> | void;
  /** Hears of what your handlers throw. Prints it unless you say otherwise. */
  onError?(error: unknown): void;
  /** For tests. */
  fetch?: typeof fetch;
}

export interface MiniApp {
  /** Answers a request of the server: the app as a web-standard handler, for Hono, Next.js, Deno, workers and `serve`. */
  fetch(request: Request): Promise<Response>;
  /** Resolves when everything that goes on `later` is done. */
  settled(): Promise<void>;
}

/** Makes a mini-app. Only calls that your Latchkey server has signed reach its handlers. */
export function createMiniApp(options: MiniAppOptions): MiniApp {
  const { metadata, onInteraction, onEvent, onError = printError } = options;
  const keys = readKeys(options.keys);
  const ongoing = new Set<Promise<unknown>>();
  const later = (work: () => Promise<unknown>) => {
    const running = Promise.resolve().then(work).catch(onError);
    ongoing.add(running);
    running.finally(() => ongoing.delete(running)).catch(onError);
  };
  const act = async (path: string, text: string): Promise<Response> => {
    const said: unknown = JSON.parse(text);
    if (path === 'events') {
      await onEvent?.(said as MiniAppEvent);
      return new Response(null, { status: 204 });
    }
    const interaction = said as Interaction;
    interaction.actionContext ??= {};
    const answer = await onInteraction(interaction, { followUp: followUpOn(interaction, options.fetch), later });
    return answer === undefined ? new Response(null, { status: 204 }) : Response.json(answer);
  };
  const answer = async (request: Request): Promise<Response> => {
    const path = new URL(request.url).pathname.replace(/\/+$/, '').split('/').at(-1) ?? '';
    if (request.method === 'GET' && path === 'metadata') return Response.json(metadata);
    if (request.method !== 'POST' || !['events', 'interactions'].includes(path))
      return refuse(404, 'Nothing is served here.');
    const body = new Uint8Array(await request.arrayBuffer());
    const doubt = await doubtCall(request.headers, body, keys);
    if (doubt !== undefined) return refuse(doubt.status, doubt.message);
    return act(path, new TextDecoder().decode(body));
  };
  return {
    fetch: async (request) => {
      try {
        return await answer(request);
      } catch (error) {
        onError(error);
        return refuse(500, 'Something went wrong.');
      }
    },
    settled: async () => {
      while (ongoing.size > 0) await Promise.all(ongoing);
    },
  };
}

function refuse(status: number, message: string): Response {
  return Response.json({ error: { statusCode: status, message } }, { status });
}
