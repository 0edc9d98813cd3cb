import { Readable } from 'node:stream';

/** More different events than this say no more than that everything may have changed. */
const mostPending = 50;

/**
 * Events on their way to one reader, in the form of server-sent events. What a slow reader has not taken yet is kept once,
 * however often it is said: an event is a reason to look, and one look is enough.
 */
export class EventStream extends Readable {
  readonly #pending = new Set<string>();
  #isWanted = false;
  #isOver = false;

  /** Says something that has no meaning, so that the line stays open; false when the reader has not taken what was said. */
  beat(comment: string): boolean {
    if (!this.#isWanted) return false;
    this.#tell(`: ${comment}\n\n`);
    return true;
  }

  say(event: object): void {
    if (this.#pending.size >= mostPending) {
      this.#pending.clear();
      this.#pending.add(frame({ changed: 'everything' }));
    }
    this.#pending.add(frame(event));
    this.#flush();
  }

  /** Says that there is no more. */
  finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.push(null);
  }

  override _read(): void {
    this.#isWanted = true;
    this.#flush();
  }

  #flush(): void {
    if (!this.#isWanted || this.#pending.size === 0) return;
    const text = [...this.#pending].join('');
    this.#pending.clear();
    this.#tell(text);
  }

  #tell(text: string): void {
    if (!this.#isOver) this.#isWanted = this.push(text);
  }
}

function frame(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}
