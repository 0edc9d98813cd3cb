import { Button, Group as Line, NumberInput, Select } from '@mantine/core';
import { IconPlus } from '../../../shared/icons.ts';
import { useBuilding } from '../builder-context.ts';
import { IconFolderPlus } from '../icons.tsx';
import { groupTitles } from '../kinds.ts';
import { t } from '../messages/index.ts';
import { emptyLeaf } from '../tree/draft.ts';
import { add, setKind } from '../tree/edit.ts';
import { type Group, type GroupKind, isGroup, type Node, newGroup } from '../tree/node.ts';
import { Card } from './card.tsx';
import styles from './cards.module.css';
import { LeafCard } from './leaf-card.tsx';

export function NodeCard({ node }: { node: Node }) {
  return isGroup(node) ? <GroupCard group={node} /> : <LeafCard leaf={node} />;
}

function GroupCard({ group }: { group: Group }) {
  const { editTree } = useBuilding();
  const { key, kind, count, parts } = group;
  const put = (node: Node, message: string) =>
    editTree((tree) => add(tree, key, node), { announcement: message, focusKey: node.key });
  return (
    <Card
      node={group}
      head={
        <Line gap="xs" wrap="nowrap">
          <Select
            aria-label={t('group.kind')}
            data={Object.entries(groupTitles).map(([value, title]) => ({ value, label: t(title) }))}
            value={kind}
            allowDeselect={false}
            className={styles.groupKind}
            onChange={(value) =>
              editTree((tree) => setKind(tree, key, kindIn(value), count), { announcement: t('group.changed') })
            }
          />
          {kind === 'at-least' && (
            <NumberInput
              aria-label={t('group.count')}
              value={count}
              min={1}
              max={Math.max(1, parts.length)}
              allowDecimal={false}
              className={styles.count}
              onChange={(value) =>
                editTree((tree) => setKind(tree, key, kind, Number(value) || 1), { typing: `${key}/count` })
              }
            />
          )}
        </Line>
      }
    >
      {parts.length === 0 ? (
        <p className={styles.hint}>{t('group.empty')}</p>
      ) : (
        <ul className={styles.parts}>
          {parts.map((part) => (
            <li key={part.key}>
              <NodeCard node={part} />
            </li>
          ))}
        </ul>
      )}
      <Line gap="xs">
        <Button
          size="compact-sm"
          variant="light"
          leftSection={<IconPlus size={14} />}
          onClick={() => put(emptyLeaf(), t('build.conditionAdded'))}
        >
          {t('build.addCondition')}
        </Button>
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<IconFolderPlus size={14} />}
          onClick={() => put(newGroup('any', [emptyLeaf()]), t('build.groupAdded'))}
        >
          {t('build.addGroup')}
        </Button>
      </Line>
    </Card>
  );
}

function kindIn(value: string | null): GroupKind {
  return value === 'any' || value === 'none' || value === 'at-least' ? value : 'all';
}
