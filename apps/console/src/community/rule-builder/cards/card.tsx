import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { IconGripVertical } from '../../../shared/icons.tsx';
import { State } from '../../../shared/ui/index.ts';
import { useBuilding } from '../builder-context.ts';
import { titleOf } from '../kinds.ts';
import { type Direction, step, stepTarget } from '../tree/edit.ts';
import type { Node } from '../tree/node.ts';
import { CardMenu } from './card-menu.tsx';
import styles from './cards.module.css';
import { useCardDrag } from './use-card-drag.ts';

const directions: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'out',
  ArrowRight: 'in',
};

/** What every card has: a handle to drag it by, a menu, and Alt with the arrow keys. */
export function Card({ node, head, children }: { node: Node; head: ReactNode; children: ReactNode }) {
  const { root, editTree } = useBuilding();
  const card = useRef<HTMLElement>(null);
  const handle = useRef<HTMLSpanElement>(null);
  const { place, isDragged } = useCardDrag(card, handle, node);
  const title = titleOf(node);
  const isRoot = root.key === node.key;
  const moveByKey = (event: KeyboardEvent<HTMLElement>) => {
    const direction = directions[event.key];
    const isHere = event.target instanceof Element && event.target.closest('[data-card]') === card.current;
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
    if (!event.altKey || direction === undefined || !isHere || isTyping) return;
    event.preventDefault();
    const isPossible = stepTarget(root, node.key, direction) !== undefined;
    editTree((tree) => step(tree, node.key, direction), {
      said: isPossible ? `${title} moved ${direction}.` : `${title} cannot move ${direction} from here.`,
      focusKey: node.key,
    });
  };
  return (
    <section
      ref={card}
      aria-label={title}
      className={styles.card}
      data-card={node.key}
      data-drop={place}
      data-dragged={isDragged || undefined}
      data-muted={node.isMuted || undefined}
      onKeyDown={moveByKey}
    >
      <div className={styles.head}>
        {!isRoot && (
          <span ref={handle} className={styles.handle} aria-hidden="true">
            <IconGripVertical size={18} />
          </span>
        )}
        <div className={styles.kind}>{head}</div>
        {node.isMuted && <State tone="warn">Muted</State>}
        <CardMenu node={node} />
      </div>
      {children}
    </section>
  );
}
