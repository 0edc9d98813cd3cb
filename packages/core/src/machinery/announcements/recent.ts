import type { Bus } from '@latchkey/db';
import type { Announcement } from './announcement.ts';

const mostKept = 1_000;
/** What was read was asked for a while before it arrived, and the question to listen takes its time too. */
const marginMs = 10_000;

/** The latest announcements that this process heard, for pages that read before they began to listen. */
export class Recent {
  readonly #heard: { atMs: number; announcement: Announcement }[] = [];
  readonly #now: () => number;
  #sinceMs: number;

  constructor(bus: Pick<Bus, 'subscribe' | 'onReconnect'>, topic: string, now = () => performance.now()) {
    this.#now = now;
    this.#sinceMs = now();
    bus.subscribe(topic, (message) => this.#keep(message as unknown as Announcement));
    bus.onReconnect(() => {
      this.#heard.length = 0;
      this.#sinceMs = this.#now();
    });
  }

  /** What was announced since somebody read something; undefined when some of it may be missing here. */
  since(ageSeconds: number): Announcement[] | undefined {
    const fromMs = this.#now() - ageSeconds * 1000 - marginMs;
    if (fromMs < this.#sinceMs) return undefined;
    return this.#heard.filter(({ atMs }) => atMs >= fromMs).map(({ announcement }) => announcement);
  }

  #keep(announcement: Announcement): void {
    this.#heard.push({ atMs: this.#now(), announcement });
    if (this.#heard.length > mostKept) this.#sinceMs = (this.#heard.shift()?.atMs ?? this.#now()) + 1;
  }
}
