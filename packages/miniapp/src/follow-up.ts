import type { Interaction, Message } from './interaction.ts';

/** Further messages about an interaction, for 15 minutes after it. */
export interface FollowUp {
  /** Sends one more message and returns its id. */
  send(message: Message): Promise<{ id: string }>;
  /** Changes a message; `@original` is the first response. */
  edit(messageId: string, message: Message): Promise<void>;
  remove(messageId: string): Promise<void>;
}

/** The server did not take a message. */
export class FollowUpError extends Error {
  override name = 'FollowUpError';
  readonly status: number;

  constructor(status: number, verb: string) {
    // The address is left out: whoever has it can write in your name.
    super(`The server answered ${status} when a message was to be ${verb}.`);
    this.status = status;
  }
}

export function followUpOn(interaction: Interaction, send: typeof fetch = globalThis.fetch): FollowUp {
  const request = async (method: string, verb: string, path: string, message?: Message): Promise<unknown> => {
    const { callbackUrl } = interaction.actionContext;
    if (callbackUrl === undefined) throw new TypeError('The interaction came without a callback address.');
    const response = await send(`${callbackUrl}${path}`, {
      method,
      signal: AbortSignal.timeout(30_000),
      ...(message && { body: JSON.stringify(message), headers: { 'content-type': 'application/json' } }),
    });
    if (!response.ok) throw new FollowUpError(response.status, verb);
    return response.status === 204 ? undefined : response.json();
  };
  return {
    send: async (message) => {
      const sent = await request('POST', 'sent', '', message);
      return { id: String((sent as { id?: unknown } | undefined)?.id) };
    },
    edit: async (id, message) => {
      await request('PATCH', 'changed', `/messages/${encodeURIComponent(id)}`, message);
    },
    remove: async (id) => {
      await request('DELETE', 'deleted', `/messages/${encodeURIComponent(id)}`);
    },
  };
}
