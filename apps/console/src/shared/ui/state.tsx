import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';

export type Tone = 'good' | 'bad' | 'warn' | 'plain';
const colors = { good: 'green', bad: 'red', warn: 'yellow', plain: 'gray' } as const;

/** A state in a word or two. The colour only repeats what the word says. */
export function State({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <Badge color={colors[tone]} variant="light" tt="none" fw={550} radius="sm">
      {children}
    </Badge>
  );
}
