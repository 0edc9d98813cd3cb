import type { JobKind } from '@latchkey/kernel';
import { setAside, startClaiming } from './claim.ts';
import type { Crew } from './crew.ts';
import type { Identity } from './presence.ts';

export interface FillOptions {
  kinds: readonly JobKind[];
  concurrency: number;
  leaseSeconds: number;
  crew: Crew;
  identity(): Identity | undefined;
}

const collectMs = 10;

/** Prepares the filling of free slots with ready jobs. The answer tells when to ask again, if it left slots free on purpose. */
export function startFilling(options: FillOptions): () => Promise<number | undefined> {
  const { concurrency, crew, identity } = options;
  const claim = startClaiming(options.kinds, options.leaseSeconds);
  let isCrowded = false;
  let claimedAt = 0;

  // While more is waiting than can run, a few slots are collected before they are filled in one statement.
  function pauseMs(room: number): number {
    return isCrowded && room < concurrency / 2 ? claimedAt + collectMs - performance.now() : 0;
  }

  return async () => {
    for (let room = crew.room(); room > 0; room = crew.room()) {
      const me = identity();
      if (me === undefined) return undefined;
      const pause = pauseMs(room);
      if (pause > 0) return pause;
      const { jobs, blocked, more } = await claim(me, room);
      crew.take(jobs);
      isCrowded = more;
      claimedAt = performance.now();
      const moved = blocked.length > 0 ? await setAside(me.session, blocked) : 0;
      if (!isCrowded && moved === 0) return undefined;
    }
    return undefined;
  };
}
