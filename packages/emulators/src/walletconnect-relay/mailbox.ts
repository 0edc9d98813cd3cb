import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';

interface Published {
  topic: string;
  message: string;
  /** What kind of message it is; what it says, no relay can read. */
  tag: number;
}

interface Message extends Published {
  publishedAt: number;
}

/** A client that is connected, by the name it signs with. */
export interface Client {
  did: string;
  topics: Set<string>;
  tell(subscription: { id: string; data: Message }): void;
}

interface Kept extends Message {
  from: string;
  expiresAt: number;
}

/** Keeps what is published under a topic until it expires, and hands it to everybody else who subscribes to the topic. */
export class Mailbox {
  readonly clients: Set<Client> = new Set();
  readonly kept: Kept[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  publish(from: Client, published: Published, ttlSeconds: number): true {
    const publishedAt = this.#clock();
    this.kept.push({ ...published, publishedAt, from: from.did, expiresAt: publishedAt + ttlSeconds * 1000 });
    for (const client of this.clients)
      if (client.did !== from.did && client.topics.has(published.topic)) tell(client, { ...published, publishedAt });
    return true;
  }

  subscribe(client: Client, topic: string): string {
    client.topics.add(topic);
    for (const message of this.waiting(client, topic)) tell(client, message);
    return subscriptionId(client, topic);
  }

  waiting(client: Client, topic: string): Message[] {
    const now = this.#clock();
    return this.kept
      .filter((kept) => kept.topic === topic && kept.from !== client.did && kept.expiresAt > now)
      .map(({ message, tag, publishedAt }) => ({ topic, message, tag, publishedAt }));
  }
}

function tell(client: Client, data: Message): void {
  client.tell({ id: subscriptionId(client, data.topic), data });
}

function subscriptionId({ did }: Client, topic: string): string {
  return createHash('sha256').update(`${topic}${did}`).digest('hex');
}
