import { Button, Group, PasswordInput, SegmentedControl, Select, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Failure, Page, Section } from '../../shared/ui/index.ts';
import { ContentField } from './content-field.tsx';
import { EarlierImports } from './earlier-imports.tsx';
import styles from './rule-import.module.css';
import { columns, type Source, sources } from './sources.ts';
import { type Request, useNewImport } from './use-new-import.ts';

const choices = Object.entries(sources).map(([value, { title }]) => ({ value, label: title }));

/** Says where rules come from, and reads them. */
export function NewImport({ communityId }: { communityId: string }) {
  const [source, setSource] = useState<Source>('original');
  const [way, setWay] = useState('export');
  const [content, setContent] = useState('');
  const [access, setAccess] = useState({ baseUrl: '', apiKey: '', communityId: '' });
  const start = useNewImport(communityId);
  const readsApi = source === 'original' && way === 'api';
  const isFilled = readsApi ? Object.values(access).every((text) => text.trim() !== '') : content.trim() !== '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isFilled) return;
    const { baseUrl, apiKey, communityId: there } = access;
    const original = { baseUrl: baseUrl.trim(), apiKey: apiKey.trim(), communityId: there.trim() };
    const body: Request = readsApi ? { source, original } : { source, content };
    start.run({ communityId, body });
  };
  const { help, sample } = sources[source];
  const isTable = sample.includes(',');
  const field = (name: keyof typeof access) => ({
    value: access[name],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      setAccess((typed) => ({ ...typed, [name]: value })),
  });
  return (
    <Page
      title="Import rules"
      lead="Bring your rules from another bot. You see what each one means here before you switch any on."
      crumbs={[{ title: 'Rules', to: `/communities/${encodeURIComponent(communityId)}/rules` }]}
    >
      <Section title="Where are your rules?">
        <form onSubmit={submit} className={styles.form}>
          <Select
            label="Source"
            allowDeselect={false}
            data={choices}
            value={source}
            onChange={(value) => setSource(choices.some((one) => one.value === value) ? (value as Source) : source)}
            className={styles.field}
          />
          {source === 'original' && (
            <SegmentedControl
              aria-label="How to read them"
              data={[
                { value: 'export', label: 'Paste an export' },
                { value: 'api', label: 'Read from its API' },
              ]}
              value={way}
              onChange={setWay}
              className={styles.ways}
            />
          )}
          {readsApi ? (
            <>
              <TextInput
                label="Address of the API"
                placeholder="https://api.example.com"
                maxLength={500}
                {...field('baseUrl')}
                className={styles.field}
              />
              <TextInput
                label="Id of the community there"
                placeholder="DIS#COMM#123"
                maxLength={128}
                {...field('communityId')}
                className={styles.field}
              />
              <PasswordInput
                label="API key there"
                description="It is used to read the rules now, and not stored."
                autoComplete="off"
                maxLength={1000}
                {...field('apiKey')}
                className={styles.field}
              />
            </>
          ) : (
            <>
              <ContentField value={content} sample={sample} help={help} onChange={setContent} />
              {isTable && (
                <Text size="sm" c="dimmed">
                  Columns: {columns}. A filled column with any other name leaves its row out, because it may narrow the
                  rule.
                </Text>
              )}
            </>
          )}
          <Group>
            <Button type="submit" loading={start.isRunning} disabled={!isFilled}>
              Preview rules
            </Button>
            <Text size="sm" c="dimmed">
              This switches nothing on.
            </Text>
          </Group>
          <Failure error={start.error} />
        </form>
      </Section>
      <EarlierImports communityId={communityId} />
    </Page>
  );
}
