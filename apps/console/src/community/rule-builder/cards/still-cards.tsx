import { useMemo, useState } from 'react';
import { BuilderProvider } from '../builder-context.ts';
import { type Fields, isGroup } from '../tree/node.ts';
import { draw } from '../use-rule-form.ts';
import styles from './cards.module.css';
import { NodeCard } from './group-card.tsx';

/** A rule of another time, with the same cards, which do nothing. Its sentence beside it says the same in words. */
export function StillCards({ communityId, label, rule }: { communityId: string; label: string; rule: Fields }) {
  const [isOpen, setIsOpen] = useState(false);
  const building = useMemo(() => {
    const { root } = draw(rule);
    return { communityId, root, hasConditionVisibility: isGroup(root), editTree: () => undefined };
  }, [communityId, rule]);
  return (
    <details className={styles.more} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{label}</summary>
      {isOpen && (
        <div inert>
          <BuilderProvider value={building}>
            <NodeCard node={building.root} />
          </BuilderProvider>
        </div>
      )}
    </details>
  );
}
