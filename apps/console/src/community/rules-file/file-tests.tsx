import type { TestRun } from '@latchkey/cli/browser';
import { Button, Group, Text, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ChangeEvent, useRef, useState } from 'react';
import { Failure, List, Row, Section, State } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import styles from './rules-file.module.css';
import { loadEvaluator, useCurrentFile } from './use-current-file.ts';

const mostBytes = 2_000_000;

/** Runs the tests of a file in this page, by the code of the command line. The file goes nowhere. */
export function FileTests({ communityId }: { communityId: string }) {
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string>();
  const picker = useRef<HTMLInputElement>(null);
  const current = useCurrentFile(communityId);
  const run = useMutation({
    mutationFn: async (given: string): Promise<TestRun> => (await loadEvaluator()).runTests('latchkey.yaml', given),
  });
  const change = (given: string) => {
    setText(given);
    setFault(undefined);
    run.reset();
  };
  const open = async ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const [file] = currentTarget.files ?? [];
    // Allows choosing the same file again after it was changed.
    currentTarget.value = '';
    if (file === undefined) return;
    if (file.size > mostBytes) return setFault(t('rulesFile.tooLarge', { file: file.name }));
    try {
      change(await file.text());
    } catch {
      setFault(t('rulesFile.unreadable', { file: file.name }));
    }
  };
  return (
    <Section title={t('rulesFile.tests')} lead={t('rulesFile.testsLead')}>
      <Textarea
        label={t('rulesFile.testFile')}
        placeholder={t('rulesFile.testPlaceholder')}
        value={text}
        error={fault}
        autosize
        minRows={8}
        maxRows={24}
        spellCheck={false}
        wrap="off"
        classNames={{ input: styles.code ?? '' }}
        onChange={({ currentTarget }) => change(currentTarget.value)}
      />
      <Group gap="xs" className={styles.actions}>
        <Button disabled={text.trim() === ''} loading={run.isPending} onClick={() => run.mutate(text)}>
          {t('rulesFile.run')}
        </Button>
        <Button variant="default" onClick={() => picker.current?.click()}>
          {t('rulesFile.open')}
        </Button>
        <Button
          variant="default"
          disabled={current.data === undefined}
          onClick={() => change(withSample(current.data ?? ''))}
        >
          {t('rulesFile.startHere')}
        </Button>
        <input
          ref={picker}
          type="file"
          accept=".yaml,.yml,application/yaml,text/yaml"
          aria-label={t('rulesFile.testFile')}
          hidden
          onChange={(event) => void open(event)}
        />
      </Group>
      <Failure error={run.error} />
      <div role="status">{run.data !== undefined && <Result run={run.data} />}</div>
    </Section>
  );
}

/** The file of one community ends with it, so that what follows belongs to it. A test of the first role shows how they are written. */
function withSample(file: string): string {
  const [, role] = /^ {8}role: (.+)$/m.exec(file) ?? [];
  if (role === undefined) return `${file}    tests: []\n`;
  return `${file}    tests:
      - name: ${t('rulesFile.sampleTest')}
        given: { holds: {} }
        expect:
          ${role}: none
`;
}

function Result({ run }: { run: TestRun }) {
  if ('problems' in run)
    return (
      <>
        <Text fw={550}>{t('rulesFile.problems')}</Text>
        <ul className={styles.problems}>
          {run.problems.map(({ place, message }) => (
            <li key={`${place.line} ${place.column} ${message}`}>
              {t('rulesFile.problem', { line: place.line, column: place.column, message })}
            </li>
          ))}
        </ul>
      </>
    );
  const failed = run.tests.filter(({ failures }) => failures.length > 0).length;
  return (
    <>
      <Text fw={550}>
        {run.tests.length === 0 ? t('rulesFile.noTests') : t('rulesFile.result', { count: run.tests.length, failed })}
      </Text>
      <List items={run.tests} keyOf={({ community, line }) => `${community} ${line}`}>
        {({ name, failures, line, roles }) => (
          <Row
            title={name}
            states={
              <State tone={failures.length === 0 ? 'good' : 'bad'}>
                {t(failures.length === 0 ? 'rulesFile.passed' : 'rulesFile.failed')}
              </State>
            }
            note={
              <>
                {failures.map((failure) => (
                  <p key={failure} className={styles.failure}>
                    {t('rulesFile.failure', { line, failure })}
                  </p>
                ))}
                <details className={styles.reasons}>
                  <summary>{t('rulesFile.reasons')}</summary>
                  {roles.map(({ role, outcome, reasons }) => (
                    <div key={role}>
                      <strong>{t('rulesFile.roleOutcome', { role, outcome })}</strong>
                      <pre>{reasons.join('\n')}</pre>
                    </div>
                  ))}
                </details>
              </>
            }
          />
        )}
      </List>
    </>
  );
}
