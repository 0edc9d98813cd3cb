import { Button, Group, Text } from '@mantine/core';
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef } from 'react';
import { IconPlus } from '../../shared/icons.ts';
import styles from './builder.module.css';
import { BuilderProvider, type Building } from './builder-context.ts';
import { NodeCard } from './cards/group-card.tsx';
import { useDrops } from './cards/use-card-drag.ts';
import { IconArrowBackUp, IconArrowForwardUp } from './icons.tsx';
import { t } from './messages/index.ts';
import { asGroup, emptyLeaf } from './tree/draft.ts';
import { add } from './tree/edit.ts';
import { isGroup } from './tree/node.ts';
import type { RuleForm } from './use-rule-form.ts';

/** The conditions as cards. */
export function BuildTab({ communityId, form }: { communityId: string; form: RuleForm }) {
  const { draft, edit, undo, redo } = form;
  const { root } = draft;
  const board = useRef<HTMLDivElement>(null);
  useFocusFollows(board, form);
  const latest = useRef(edit);
  latest.current = edit;
  const editTree = useCallback<Building['editTree']>(
    (change, more) => latest.current((before) => ({ ...before, root: change(before.root) }), more),
    [],
  );
  const building = useMemo(
    () => ({ communityId, root, hasConditionVisibility: isGroup(root), editTree }),
    [communityId, root, editTree],
  );
  const addSecond = () => {
    const leaf = emptyLeaf();
    edit(
      (before) => {
        const grouped = asGroup(before);
        return { ...grouped, root: add(grouped.root, grouped.root.key, leaf) };
      },
      { announcement: t('build.conditionAdded'), focusKey: leaf.key },
    );
  };
  const undoByKey = (event: KeyboardEvent) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea');
    if (isTyping || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'z') return;
    event.preventDefault();
    if (event.shiftKey) redo();
    else undo();
  };
  return (
    <BuilderProvider value={building}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the same can be done with the buttons inside. */}
      <div ref={board} className={styles.board} onKeyDown={undoByKey}>
        <Group gap="xs">
          <Button
            size="compact-sm"
            variant="default"
            disabled={!form.canUndo}
            leftSection={<IconArrowBackUp size={16} />}
            onClick={undo}
          >
            {t('build.undo')}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            disabled={!form.canRedo}
            leftSection={<IconArrowForwardUp size={16} />}
            onClick={redo}
          >
            {t('build.redo')}
          </Button>
          <Text size="sm" c="dimmed" className={styles.tip}>
            {t('build.tip')}
          </Text>
        </Group>
        <Drops />
        <NodeCard node={root} />
        {!isGroup(root) && (
          <div>
            <Button size="compact-sm" variant="light" leftSection={<IconPlus size={14} />} onClick={addSecond}>
              {t('build.addCondition')}
            </Button>
          </div>
        )}
      </div>
    </BuilderProvider>
  );
}

function Drops() {
  useDrops();
  return null;
}

/** A card that moves to another level is drawn anew there, and the focus goes with it. */
function useFocusFollows(board: React.RefObject<HTMLElement | null>, { focusKey, focused, draft }: RuleForm): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each change of the cards.
  useEffect(() => {
    if (focusKey === undefined) return;
    const button = board.current?.querySelector(`[data-actions="${CSS.escape(focusKey)}"]`);
    if (button instanceof HTMLElement) button.focus();
    focused();
  }, [focusKey, draft]);
}
