import { useState } from 'react';

export function CopyButton({ text, what }: { text: string; what: string }) {
  const [said, setSaid] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Copied.');
    } catch {
      setSaid('Select the text and copy it by hand.');
    }
  };
  return (
    <span className="copy">
      <button type="button" className="quiet" onClick={copy}>
        Copy {what}
      </button>
      <span role="status">{said}</span>
    </span>
  );
}
