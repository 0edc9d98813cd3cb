import { Button, Group, Select } from '@mantine/core';
import { Failure, State, type Tone } from '../../shared/ui/index.ts';

export type Status = 'PENDING' | 'APPROVED' | 'LISTED' | 'REJECTED' | 'REVOKED';

const words: Readonly<Record<Status, readonly [Tone, string]>> = {
  PENDING: ['warn', 'Waiting'],
  APPROVED: ['good', 'Approved'],
  LISTED: ['good', 'Listed'],
  REJECTED: ['plain', 'Rejected'],
  REVOKED: ['bad', 'Revoked'],
};

export function StatusState({ status }: { status: Status }) {
  const [tone, word] = words[status];
  return <State tone={tone}>{word}</State>;
}

export function StatusFilter({
  value,
  onChange,
}: {
  value: Status | undefined;
  onChange(status: Status | undefined): void;
}) {
  const all = (Object.keys(words) as Status[]).map((status) => ({ value: status, label: words[status][1] }));
  return (
    <Select
      aria-label="Status"
      data={[{ value: '', label: 'All' }, ...all]}
      value={value ?? ''}
      allowDeselect={false}
      onChange={(chosen) => onChange(all.find((one) => one.value === chosen)?.value)}
    />
  );
}

/** The possible decisions now; the last one is the primary button. */
export function Decisions<Decision extends string>({
  choices,
  action,
  onDecide,
}: {
  choices: readonly (readonly [Decision, string])[];
  action: { isRunning: boolean; error: unknown };
  onDecide(decision: Decision): void;
}) {
  return (
    <>
      <Failure error={action.error} />
      <Group justify="flex-end" gap="xs">
        {choices.map(([decision, words], index) => (
          <Button
            key={decision}
            variant={index === choices.length - 1 ? 'filled' : 'default'}
            loading={action.isRunning}
            onClick={() => onDecide(decision)}
          >
            {words}
          </Button>
        ))}
      </Group>
    </>
  );
}
