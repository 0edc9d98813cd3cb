import { setTimeout as sleep } from 'node:timers/promises';
import { type Mailbox, viewUpdate } from './mailbox.ts';

export interface WebhookOptions {
  url: string;
  secretToken: string | undefined;
  maxConnections: number;
}

interface Failure {
  atSeconds: number;
  message: string;
}

const answerWithinMs = 30_000;
const longestPauseMs = 60_000;

/** Delivers updates to a bot's URL in order, and retries until they are accepted. */
export class Webhook {
  readonly options: WebhookOptions;
  failure: Failure | undefined;
  readonly #mailbox: Mailbox;
  readonly #stopped = new AbortController();
  readonly #nowSeconds: () => number;
  readonly #firstPauseMs: number;
  readonly #onReply: (reply: string) => void;
  #isBusy = false;

  constructor(
    mailbox: Mailbox,
    options: WebhookOptions,
    parts: { nowSeconds: () => number; firstPauseMs: number; onReply: (reply: string) => void },
  ) {
    this.#mailbox = mailbox;
    this.options = options;
    this.#nowSeconds = parts.nowSeconds;
    this.#firstPauseMs = parts.firstPauseMs;
    this.#onReply = parts.onReply;
    mailbox.onUpdate = () => void this.#deliver();
    void this.#deliver();
  }

  stop(): void {
    this.#mailbox.onUpdate = undefined;
    this.#stopped.abort();
  }

  async #deliver(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    let pauseMs = this.#firstPauseMs;
    for (;;) {
      const [update] = this.#mailbox.pending();
      if (update === undefined || this.#stopped.signal.aborted) break;
      if (await this.#post(viewUpdate(update))) {
        this.#mailbox.confirm(update.update_id + 1);
        pauseMs = this.#firstPauseMs;
      } else {
        await sleep(pauseMs, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
        pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      }
    }
    this.#isBusy = false;
  }

  async #post(update: unknown): Promise<boolean> {
    const { url, secretToken } = this.options;
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(secretToken === undefined ? {} : { 'x-telegram-bot-api-secret-token': secretToken }),
        },
        body: JSON.stringify(update),
        redirect: 'manual',
        signal: AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(answerWithinMs)]),
      });
      const text = await response.text();
      if (!response.ok) {
        this.#fail(`Wrong response from the webhook: ${response.status} ${response.statusText}`);
        return false;
      }
      if (text.startsWith('{')) this.#onReply(text);
      return true;
    } catch {
      this.#fail('Connection failed');
      return false;
    }
  }

  #fail(message: string): void {
    this.failure = { atSeconds: this.#nowSeconds(), message };
  }
}
