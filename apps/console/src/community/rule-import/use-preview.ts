import { useState } from 'react';
import { type ReadRoute, useAction, useOperation } from '../../shared/api/index.ts';
import type { Entry } from './sources.ts';

const one = 'GET /latchkey/communities/{communityId}/rule-imports/{importId}';
const shadowMode = 'GET /latchkey/communities/{communityId}/shadow-mode';

const changes: readonly ReadRoute[] = [
  one,
  'GET /latchkey/communities/{communityId}/rule-imports',
  'GET /latchkey/communities/{communityId}/rules',
  'GET /latchkey/communities/{communityId}/health',
];

/** Saving a rule asks chains and the platform, so that a thousand take longer than one call may. */
const perCall = 20;

/** An import, which of its rules are chosen, and switching them on. */
export function usePreview(communityId: string, importId: string) {
  const found = useOperation(one, { communityId, importId });
  const shadow = useOperation(shadowMode, { communityId });
  const health = useOperation('GET /latchkey/communities/{communityId}/health', { communityId });
  const [leftOut, setLeftOut] = useState<ReadonlySet<number>>(new Set());
  const [watches, setWatches] = useState<boolean>();
  const [applied, setApplied] = useState<number>();
  const startShadow = useAction('PUT /latchkey/communities/{communityId}/shadow-mode', { changes: [shadowMode] });
  const apply = useAction('POST /latchkey/communities/{communityId}/rule-imports/{importId}/apply', { changes });

  const entries = found.data?.entries ?? [];
  const isOpen = ({ state, rule }: Entry) => state === 'ready' || (state === 'refused' && rule !== undefined);
  const open = entries.filter(isOpen);
  const chosen = open.filter(({ position }) => !leftOut.has(position));
  const isShadow = shadow.data?.isOn === true;
  // A community with rules has its roles written by Latchkey already; nobody should stop that by not looking.
  const usuallyWatches = health.data?.rules === 0 && shadow.data?.takenOverTime === undefined;
  const onlyWatches = !isShadow && (watches ?? usuallyWatches);

  const toggle = (position: number) =>
    setLeftOut((before) => {
      const after = new Set(before);
      if (!after.delete(position)) after.add(position);
      return after;
    });
  const toggleAll = () => setLeftOut(new Set(chosen.length > 0 ? open.map(({ position }) => position) : []));

  /** What was switched on before a refusal stays on, and a second try goes on from there. */
  const run = async () => {
    const positions = chosen.map(({ position }) => position);
    try {
      startShadow.reset();
      apply.reset();
      setApplied(0);
      if (onlyWatches) await startShadow.runAsync({ communityId });
      for (let from = 0; from < positions.length; from += perCall) {
        await apply.runAsync({ communityId, importId, body: { positions: positions.slice(from, from + perCall) } });
        setApplied(Math.min(positions.length, from + perCall));
      }
    } catch {
      // The actions hold it.
    } finally {
      setApplied(undefined);
    }
  };
  return {
    found,
    entries,
    open,
    chosen,
    leftOut,
    toggle,
    toggleAll,
    isShadow,
    canDecideShadow: shadow.data !== undefined && !isShadow,
    onlyWatches,
    setWatches,
    run: () => void run(),
    applied,
    error: startShadow.error ?? apply.error,
  };
}

export type PreviewState = ReturnType<typeof usePreview>;
