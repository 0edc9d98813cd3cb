import { useState } from 'react';
import { t } from '../messages/index.ts';

export function CopyButton({ text, what }: { text: string; what: 'link' | 'message' }) {
  const [said, setSaid] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid(t('copy.done'));
    } catch {
      setSaid(t('copy.byHand'));
    }
  };
  return (
    <span className="copy">
      <button type="button" className="quiet" onClick={copy}>
        {t(`copy.${what}`)}
      </button>
      <span role="status">{said}</span>
    </span>
  );
}
