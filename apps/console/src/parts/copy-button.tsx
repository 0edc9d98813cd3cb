import { useState } from 'react';
import { t } from '../messages/index.ts';

export function CopyButton({ text, kind }: { text: string; kind: 'link' | 'message' }) {
  const [message, setStatus] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setStatus(t('copy.done'));
    } catch {
      setStatus(t('copy.byHand'));
    }
  };
  return (
    <span className="copy">
      <button type="button" className="quiet" onClick={copy}>
        {t(`copy.${kind}`)}
      </button>
      <span role="status">{message}</span>
    </span>
  );
}
