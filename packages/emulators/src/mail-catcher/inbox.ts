import PostalMime from 'postal-mime';

export interface CaughtMessage {
  id: string;
  from: string;
  /** All recipients of the message, as given by the sending server. */
  to: string[];
  subject: string;
  text: string;
  messageId: string;
  /** ISO 8601, in UTC. */
  receivedAt: string;
}

export interface Envelope {
  from: string;
  to: string[];
}

/** The newest messages, kept in memory. */
export class Inbox {
  readonly #clock: () => Date;
  readonly #capacity: number;
  #messages: CaughtMessage[] = [];
  #received = 0;

  constructor(clock: () => Date, capacity: number) {
    this.#clock = clock;
    this.#capacity = capacity;
  }

  async add(raw: Uint8Array, { from, to }: Envelope): Promise<CaughtMessage> {
    const { subject = '', text = '', messageId = '' } = await PostalMime.parse(raw);
    this.#received += 1;
    const receivedAt = this.#clock().toISOString();
    const message = { id: String(this.#received), from, to, subject, text, messageId, receivedAt };
    this.#messages = [message, ...this.#messages].slice(0, this.#capacity);
    return message;
  }

  /** Newest first. */
  list(): readonly CaughtMessage[] {
    return this.#messages;
  }

  find(id: string): CaughtMessage | undefined {
    return this.#messages.find((message) => message.id === id);
  }

  clear(): void {
    this.#messages = [];
  }
}
