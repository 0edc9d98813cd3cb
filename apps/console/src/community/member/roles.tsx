import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Section } from '../../shared/ui/index.ts';
import styles from './member.module.css';
import { RolesNow } from './roles-now.tsx';
import { RolesThen } from './roles-then.tsx';

interface Who {
  communityId: string;
  userId: string;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Why the member has a role or not: now, or at any moment of the past. */
export function Roles({ communityId, userId, isThere }: Who & { isThere: boolean }) {
  const [at, setAt] = useState<string>();
  const isPast = at !== undefined || !isThere;
  return (
    <Section
      title="Roles"
      lead={
        isPast
          ? 'What Latchkey had given and taken by then, and why.'
          : 'What the rules say right now. Nothing is changed by looking.'
      }
      actions={
        isThere && (
          <SegmentedControl
            aria-label="When"
            data={[
              { value: 'now', label: 'Now' },
              { value: 'then', label: 'As of …' },
            ]}
            value={isPast ? 'then' : 'now'}
            onChange={(when) => setAt(when === 'now' ? undefined : yesterday())}
          />
        )
      }
    >
      {isPast && <Moment at={at ?? new Date().toISOString()} onChange={setAt} />}
      {isPast ? (
        <RolesThen communityId={communityId} userId={userId} at={at} />
      ) : (
        <RolesNow communityId={communityId} userId={userId} />
      )}
    </Section>
  );
}

function yesterday(): string {
  return new Date(Date.now() - dayMs).toISOString();
}

/** Picks a moment in the reader's own zone. */
function Moment({ at, onChange }: { at: string; onChange(at: string): void }) {
  return (
    <div className={styles.picker}>
      <TextInput
        type="datetime-local"
        label="As of"
        value={toLocal(at)}
        max={toLocal(new Date().toISOString())}
        onChange={(event) => {
          const picked = new Date(event.currentTarget.value);
          if (!Number.isNaN(picked.getTime())) onChange(picked.toISOString());
        }}
      />
      <Button variant="default" onClick={() => onChange(yesterday())}>
        Yesterday
      </Button>
      <Button variant="default" onClick={() => onChange(new Date(Date.now() - 7 * dayMs).toISOString())}>
        A week ago
      </Button>
    </div>
  );
}

/** As the input writes it: the reader's own time, without a zone. */
function toLocal(iso: string): string {
  const date = new Date(iso);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}
