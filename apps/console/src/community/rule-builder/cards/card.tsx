import { ActionIcon, Menu } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { IconCopy, IconDots, IconTrash } from '../../../shared/icons.ts';
import { State } from '../../../shared/ui/index.ts';
import { useBuilding } from '../builder-context.ts';
import {
  IconArrowDown,
  IconArrowUp,
  IconFolderPlus,
  IconFolderX,
  IconGripVertical,
  IconIndentDecrease,
  IconIndentIncrease,
  IconVolume,
  IconVolumeOff,
} from '../icons.tsx';
import { titleOf } from '../kinds.ts';
import { type MessageId, t } from '../messages/index.ts';
import { clone, type Direction, remove, step, stepTarget, toggleMute, unwrap, wrap } from '../tree/edit.ts';
import { isGroup, type Node, parentOf } from '../tree/node.ts';
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
      announcement: t(isPossible ? 'card.moved' : 'card.cannotMove', { card: title, direction }),
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
        {node.isMuted && <State tone="warn">{t('card.muted')}</State>}
        <CardMenu node={node} />
      </div>
      {children}
    </section>
  );
}

const moves = [
  ['up', 'card.moveUp', IconArrowUp],
  ['down', 'card.moveDown', IconArrowDown],
  ['out', 'card.moveOut', IconIndentDecrease],
  ['in', 'card.moveIn', IconIndentIncrease],
] as const satisfies readonly (readonly [Direction, MessageId, typeof IconArrowUp])[];

/** Everything that can be done with a card, without a pointer too. */
function CardMenu({ node }: { node: Node }) {
  const { root, editTree } = useBuilding();
  const { key } = node;
  const title = titleOf(node);
  const isRoot = root.key === key;
  const canUnwrap = isGroup(node) && (!isRoot || node.parts.length === 1);
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('card.actions', { card: title })} data-actions={key}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {moves.map(([direction, label, Icon]) => (
          <Menu.Item
            key={direction}
            leftSection={<Icon size={16} aria-hidden="true" />}
            disabled={stepTarget(root, key, direction) === undefined}
            onClick={() =>
              editTree((tree) => step(tree, key, direction), {
                announcement: t('card.moved', { card: title, direction }),
                focusKey: key,
              })
            }
          >
            {t(label)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconFolderPlus size={16} />}
          onClick={() => editTree((tree) => wrap(tree, key), { announcement: t('card.wrapped'), focusKey: key })}
        >
          {t('card.wrap')}
        </Menu.Item>
        {canUnwrap && (
          <Menu.Item
            leftSection={<IconFolderX size={16} />}
            onClick={() => editTree((tree) => unwrap(tree, key), { announcement: t('card.unwrapped') })}
          >
            {t('card.unwrap')}
          </Menu.Item>
        )}
        {!isRoot && (
          <Menu.Item
            leftSection={<IconCopy size={16} />}
            onClick={() =>
              editTree((tree) => clone(tree, key), {
                announcement: t('card.duplicated', { card: title }),
                focusKey: key,
              })
            }
          >
            {t('card.duplicate')}
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={node.isMuted ? <IconVolume size={16} /> : <IconVolumeOff size={16} />}
          onClick={() =>
            editTree((tree) => toggleMute(tree, key), {
              announcement: t(node.isMuted ? 'card.unmuted' : 'card.nowMuted', { card: title }),
              focusKey: key,
            })
          }
        >
          {t(node.isMuted ? 'card.unmute' : 'card.mute')}
        </Menu.Item>
        {!isRoot && (
          <Menu.Item
            color="red"
            leftSection={<IconTrash size={16} />}
            onClick={() => {
              const above = parentOf(root, key)?.key;
              editTree((tree) => remove(tree, key), {
                announcement: t('card.removed', { card: title }),
                ...(above !== undefined && { focusKey: above }),
              });
            }}
          >
            {t('card.remove')}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
