import { Button, Group, PasswordInput, SegmentedControl, Select, Text, Textarea, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ChangeEvent, useRef, useState } from 'react';
import { type Answer, useLive, useOperation } from '../../shared/api/index.ts';
import { useScreenParams } from '../../shared/screen.ts';
import { Form, Page, QueryList, Row, Section, State, Time, useForm } from '../../shared/ui/index.ts';
import { Preview } from './preview.tsx';
import styles from './rule-import.module.css';
import { columns, type Source, sources } from './sources.ts';
import { type Request, useNewImport } from './use-new-import.ts';

export function View() {
  const { communityId, importId } = useScreenParams('communityId', 'importId');
  useLive({ communityId });
  return importId === '' ? (
    <NewImport communityId={communityId} />
  ) : (
    <Preview key={importId} communityId={communityId} importId={importId} />
  );
}

const choices = Object.entries(sources).map(([value, { title }]) => ({ value, label: title }));

/** Chooses the source of rules, and reads them. */
function NewImport({ communityId }: { communityId: string }) {
  const [source, setSource] = useState<Source>('original');
  const [way, setWay] = useState('export');
  const [content, setContent] = useState('');
  const start = useNewImport(communityId);
  const access = useForm({ baseUrl: '', apiKey: '', communityId: '' }, start.error);
  const readsApi = source === 'original' && way === 'api';
  const isFilled = readsApi ? Object.values(access.values).every((text) => text.trim() !== '') : content.trim() !== '';
  const submit = () => {
    const { baseUrl, apiKey, communityId: there } = access.values;
    const original = { baseUrl: baseUrl.trim(), apiKey: apiKey.trim(), communityId: there.trim() };
    const body: Request = readsApi ? { source, original } : { source, content };
    start.run({ communityId, body });
  };
  const { help, sample } = sources[source];
  const isTable = sample.includes(',');
  return (
    <Page
      title="Import rules"
      lead="Bring your rules from Collab.Land, Guild, Vulcan, Matrica or a spreadsheet. You see what each one means here before you turn any on."
      crumbs={[{ title: 'Rules', to: `/communities/${encodeURIComponent(communityId)}/rules` }]}
    >
      <Section title="Where are your rules?">
        <Form
          submit="Preview rules"
          canSubmit={isFilled}
          action={start}
          onSubmit={submit}
          buttons={
            <Text size="sm" c="dimmed">
              Nothing is turned on yet.
            </Text>
          }
        >
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
                {...access.text('baseUrl')}
                className={styles.field}
              />
              <TextInput
                label="Id of the community there"
                placeholder="DIS#COMM#123"
                maxLength={128}
                {...access.text('communityId')}
                className={styles.field}
              />
              <PasswordInput
                label="API key there"
                description="It is used to read the rules now, and not stored."
                autoComplete="off"
                maxLength={1000}
                {...access.text('apiKey')}
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
        </Form>
      </Section>
      <EarlierImports communityId={communityId} />
    </Page>
  );
}

const list = 'GET /latchkey/communities/{communityId}/rule-imports';

/** Earlier imports of the community, to continue one or to see its result. */
function EarlierImports({ communityId }: { communityId: string }) {
  const imports = useOperation(list, { communityId });
  if (imports.data?.length === 0) return null;
  return (
    <Section title="Earlier imports" lead="The last 20 are kept.">
      <QueryList read={imports} what="earlier imports" keyOf={({ id }) => id}>
        {(one) => (
          <Row
            title={
              <Link
                className={styles.link}
                to="/communities/$communityId/rules/import/$importId"
                params={{ communityId, importId: one.id }}
              >
                {sources[one.source].title}
              </Link>
            }
            states={<Counts counts={one} />}
            note={<Time at={one.createdTime} isRelative />}
          />
        )}
      </QueryList>
    </Section>
  );
}

function Counts({ counts }: { counts: Answer<typeof list>[number] }) {
  const { imported, ready, unmapped, refused } = counts;
  return (
    <>
      {imported > 0 && <State tone="good">{`${imported.toLocaleString()} on`}</State>}
      {ready > 0 && <State>{`${ready.toLocaleString()} ready`}</State>}
      {unmapped + refused > 0 && (
        <State tone="warn">{`${(unmapped + refused).toLocaleString()} not carried over`}</State>
      )}
    </>
  );
}

/** The maximum size that the server accepts. */
const longest = 900_000;

/** The export: pasted, or read from a file into the same field. */
function ContentField({
  value,
  sample,
  help,
  onChange,
}: {
  value: string;
  sample: string;
  help: string;
  onChange(text: string): void;
}) {
  const picker = useRef<HTMLInputElement>(null);
  const [fault, setFault] = useState<string>();
  const [name, setName] = useState<string>();
  const type = (text: string) => {
    setFault(text.length > longest ? 'This is longer than 900,000 characters. Import it in parts.' : undefined);
    onChange(text);
  };
  const read = async ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const [file] = currentTarget.files ?? [];
    // Allows choosing the same file again after it was changed.
    currentTarget.value = '';
    if (file === undefined) return;
    if (file.size > longest * 4) return setFault(`${file.name} is too large. Import it in parts.`);
    try {
      type(await file.text());
      setName(file.name);
    } catch {
      setFault(`${file.name} cannot be read.`);
    }
  };
  return (
    <div className={styles.content}>
      <Textarea
        label="Export"
        description={help}
        placeholder={sample}
        value={value}
        error={fault}
        autosize
        minRows={6}
        maxRows={16}
        spellCheck={false}
        classNames={{ input: styles.code ?? '' }}
        onChange={({ currentTarget }) => type(currentTarget.value)}
      />
      <Group gap="xs">
        <Button variant="default" size="compact-sm" onClick={() => picker.current?.click()}>
          Choose a file
        </Button>
        <input
          ref={picker}
          type="file"
          accept=".json,.csv,.txt,application/json,text/csv,text/plain"
          aria-label="File to import"
          hidden
          onChange={(event) => void read(event)}
        />
        {name !== undefined && (
          <Text size="sm" c="dimmed" role="status">
            Read from {name}
          </Text>
        )}
      </Group>
    </div>
  );
}
