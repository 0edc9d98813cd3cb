import { Button, Group, Textarea, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { IconCheck, IconCopy, IconDownload } from '../../shared/icons.ts';
import { saveFile } from '../../shared/save-file.ts';
import { Query, Section } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import styles from './rules-file.module.css';
import { useCurrentFile } from './use-current-file.ts';

const fileName = 'latchkey.yaml';

/** The rules as they are now, in the bytes that `latchkey rules pull` writes. */
export function Export({ communityId }: { communityId: string }) {
  const file = useCurrentFile(communityId);
  return (
    <Section title={t('rulesFile.export')} lead={t('rulesFile.exportLead')}>
      <Query read={file} loading={t('rulesFile.loadingExport')} lines={4}>
        {(text) => <Written text={text} />}
      </Query>
    </Section>
  );
}

function Written({ text }: { text: string }) {
  const [result, setResult] = useState<'copied' | 'byHand'>();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setResult('copied');
    } catch {
      setResult('byHand');
    }
  };
  return (
    <div className={styles.file}>
      <Group gap="xs">
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          onClick={() => saveFile(fileName, 'application/yaml', [text])}
        >
          {t('rulesFile.download')}
        </Button>
        <Button
          variant="default"
          leftSection={result === 'copied' ? <IconCheck size={16} /> : <IconCopy size={16} />}
          onClick={() => void copy()}
        >
          {t('rulesFile.copy')}
        </Button>
        <VisuallyHidden role="status">{result === 'copied' && t('rulesFile.copied')}</VisuallyHidden>
        {result === 'byHand' && <span role="alert">{t('rulesFile.byHandShown')}</span>}
      </Group>
      <Textarea
        readOnly
        aria-label={fileName}
        value={text}
        autosize
        minRows={4}
        maxRows={18}
        spellCheck={false}
        wrap="off"
        classNames={{ input: styles.code ?? '' }}
      />
    </div>
  );
}
