import { Button, Checkbox, Group, Text } from '@mantine/core';
import { Failure, Section } from '../../shared/ui/index.ts';
import { FoundRule } from './entries.tsx';
import styles from './rule-import.module.css';
import type { PreviewState } from './use-preview.ts';

/** The rules that can be switched on, which of them to take, and how carefully. */
export function Apply({ communityId, preview }: { communityId: string; preview: PreviewState }) {
  const { open, chosen, leftOut, isShadow, applied } = preview;
  const count = chosen.length === 1 ? '1 rule' : `${chosen.length.toLocaleString()} rules`;
  return (
    <Section
      title={`Ready (${open.length.toLocaleString()})`}
      lead="What these rules mean here. Leave out what you do not want."
    >
      <Checkbox
        label="All of them"
        checked={chosen.length === open.length}
        indeterminate={chosen.length > 0 && chosen.length < open.length}
        onChange={preview.toggleAll}
      />
      <ul className={styles.rows}>
        {open.map((entry) => (
          <li key={entry.position} className={styles.choice}>
            <Checkbox
              checked={!leftOut.has(entry.position)}
              aria-labelledby={`found-${entry.position}`}
              onChange={() => preview.toggle(entry.position)}
            />
            <FoundRule communityId={communityId} entry={entry} id={`found-${entry.position}`} />
          </li>
        ))}
      </ul>
      {preview.canDecideShadow && (
        <Checkbox
          label="Only compare for now (shadow mode)"
          description="For a community in which another bot still gives roles. Latchkey evaluates its rules, also those that are on already, and writes no role until you take over."
          checked={preview.onlyWatches}
          onChange={({ currentTarget }) => preview.setWatches(currentTarget.checked)}
        />
      )}
      <Group>
        <Button loading={applied !== undefined} disabled={chosen.length === 0} onClick={preview.run}>
          Switch on {count}
        </Button>
        <Text size="sm" c="dimmed" role="status">
          {applied !== undefined && chosen.length > 0
            ? `Switching on ${count} …`
            : whatFollows(isShadow || preview.onlyWatches)}
        </Text>
      </Group>
      <Failure error={preview.error} />
    </Section>
  );
}

function whatFollows(onlyCompares: boolean): string {
  return onlyCompares
    ? 'No role changes. You see each day what these rules would do.'
    : 'Members are re-checked shortly after. Large removals wait for your approval.';
}
