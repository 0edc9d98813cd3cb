import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine';
import {
  draggable,
  dropTargetForElements,
  monitorForElements,
} from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import {
  attachInstruction,
  extractInstruction,
  type Instruction,
} from '@atlaskit/pragmatic-drag-and-drop-hitbox/tree-item';
import { type RefObject, useEffect, useState } from 'react';
import { useBuilding } from '../builder-context.ts';
import { t } from '../messages/index.ts';
import { move } from '../tree/edit.ts';
import { depthOf, findNode, isGroup, type Node, nodesOf, parentOf } from '../tree/node.ts';

type DropPlace = 'above' | 'below' | 'into';
const indentPx = 24;

/** Lets a card be dragged by its handle, and others be dropped above, below or into it. */
export function useCardDrag(
  card: RefObject<HTMLElement | null>,
  handle: RefObject<HTMLElement | null>,
  node: Node,
): { place: DropPlace | undefined; isDragged: boolean } {
  const { root } = useBuilding();
  const [place, setPlace] = useState<DropPlace>();
  const [isDragged, setIsDragged] = useState(false);
  const { key } = node;
  const [isRoot, takes, level] = [root.key === key, isGroup(node), depthOf(root, key)];
  useEffect(() => {
    const [element, dragHandle] = [card.current, handle.current];
    if (element === null) return undefined;
    const target = dropTargetForElements({
      element,
      getData: ({ input }) =>
        attachInstruction(
          { key },
          {
            element,
            input,
            currentLevel: level,
            indentPerLevel: indentPx,
            mode: 'standard',
            block: takes ? [] : ['make-child'],
          },
        ),
      onDrag: ({ self, source, location }) => {
        const isInnermost = location.current.dropTargets[0]?.element === element;
        setPlace(isInnermost && source.data.key !== key ? placeOf(extractInstruction(self.data), isRoot) : undefined);
      },
      onDragLeave: () => setPlace(undefined),
      onDrop: () => setPlace(undefined),
    });
    if (isRoot || dragHandle === null) return target;
    const source = draggable({
      element,
      dragHandle,
      getInitialData: () => ({ key }),
      onDragStart: () => setIsDragged(true),
      onDrop: () => setIsDragged(false),
    });
    return combine(source, target);
  }, [card, handle, key, isRoot, takes, level]);
  return { place, isDragged };
}

/** Does what a drop means. Once for the whole builder. */
export function useDrops(): void {
  const { root, editTree } = useBuilding();
  useEffect(
    () =>
      monitorForElements({
        onDrop: ({ source, location }) => {
          const [target] = location.current.dropTargets;
          const [key, targetKey] = [source.data.key, target?.data.key];
          if (target === undefined || typeof key !== 'string' || typeof targetKey !== 'string') return;
          const place = placeOf(extractInstruction(target.data), targetKey === root.key);
          const goal = place && goalOf(root, targetKey, place);
          if (goal !== undefined)
            editTree((tree) => move(tree, key, goal.groupKey, goal.index), {
              announcement: t('card.dropped'),
              focusKey: key,
            });
        },
      }),
    [root, editTree],
  );
}

function goalOf(root: Node, targetKey: string, place: DropPlace): { groupKey: string; index: number } | undefined {
  const target = findNode(root, targetKey);
  if (target === undefined) return undefined;
  if (place === 'into') return isGroup(target) ? { groupKey: target.key, index: nodesOf(target).length } : undefined;
  const parent = parentOf(root, targetKey);
  return parent && { groupKey: parent.key, index: parent.parts.indexOf(target) + (place === 'below' ? 1 : 0) };
}

function placeOf(instruction: Instruction | null, isRoot: boolean): DropPlace | undefined {
  if (instruction === null || instruction.type === 'instruction-blocked') return undefined;
  if (isRoot || instruction.type === 'make-child') return 'into';
  return instruction.type === 'reorder-above' ? 'above' : 'below';
}
