import { Button } from '@mantine/core';
import { type ItemOf, usePages } from '../../shared/api/index.ts';
import { EmptyState, PagedList, State, Time } from '../../shared/ui/index.ts';
import styles from './builder.module.css';
import { StillCards } from './cards/still-cards.tsx';
import { draw, type RuleForm } from './use-rule-form.ts';

type Change = ItemOf<'GET /latchkey/communities/{communityId}/rules/{ruleId}/history'>;

const words = { created: 'Created', changed: 'Changed', removed: 'Deleted' } as const;
const shown = { public: 'Members see it', secret: 'Secret', hidden: 'Hidden' } as const;

/** Who changed the rule, when, and what it was before and after. */
export function HistoryTab({ communityId, ruleId, form }: { communityId: string; ruleId: string; form: RuleForm }) {
  const changes = usePages('GET /latchkey/communities/{communityId}/rules/{ruleId}/history', { communityId, ruleId });
  return (
    <PagedList
      pages={changes}
      what="changes"
      keyOf={({ id }) => id}
      empty={<EmptyState title="No changes recorded">Changes are kept from now on.</EmptyState>}
    >
      {(change) => <ChangeRow communityId={communityId} change={change} form={form} />}
    </PagedList>
  );
}

function ChangeRow({ communityId, change, form }: { communityId: string; change: Change; form: RuleForm }) {
  const { before, after, action } = change;
  const restore = () => {
    if (before === undefined) return;
    form.edit(() => draw(before.rule), { said: 'The earlier version is on the page. Save it to use it.' });
    form.setVisibility(before.visibility);
  };
  return (
    <div className={styles.change}>
      <p>
        <strong>{words[action]}</strong> by {change.changedByName ?? nameOf(change.changedBy)},{' '}
        <Time at={change.changedTime} />
      </p>
      {before !== undefined && <Version communityId={communityId} label="Before" version={before} />}
      {after !== undefined && (
        <Version communityId={communityId} label={before === undefined ? 'Rule' : 'After'} version={after} />
      )}
      {before !== undefined && (
        <div>
          <Button size="compact-sm" variant="default" onClick={restore}>
            Bring back the version before
          </Button>
        </div>
      )}
    </div>
  );
}

interface VersionParts {
  communityId: string;
  label: string;
  version: NonNullable<Change['before']>;
}

function Version({ communityId, label, version }: VersionParts) {
  return (
    <div>
      <p>
        <State>{label}</State> {version.sentence} <State>{shown[version.visibility]}</State>
      </p>
      <StillCards communityId={communityId} label={`Show the cards: ${label.toLowerCase()}`} rule={version.rule} />
    </div>
  );
}

/** People without a name here are known by their account; operators by their key. */
function nameOf(id: string): string {
  return id.startsWith('$') ? 'the operator' : id;
}
