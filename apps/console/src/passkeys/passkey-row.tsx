import { type FormEvent, useState } from 'react';
import type { Passkey } from './use-passkeys.ts';

interface PasskeyRowProps {
  passkey: Passkey;
  onRename(passkey: Passkey, name: string): void;
  onRemove(passkey: Passkey): void;
}

export function PasskeyRow({ passkey, onRename, onRemove }: PasskeyRowProps) {
  const [name, setName] = useState<string>();

  if (name !== undefined) {
    const submit = (event: FormEvent) => {
      event.preventDefault();
      setName(undefined);
      onRename(passkey, name.trim());
    };
    return (
      <li>
        <form className="inline" onSubmit={submit}>
          <label className="field">
            New name of {passkey.name}
            <input
              value={name}
              required
              pattern=".*\S.*"
              maxLength={100}
              autoComplete="off"
              onChange={({ target }) => setName(target.value)}
            />
          </label>
          <button type="submit">Save</button>
          <button type="button" className="quiet" onClick={() => setName(undefined)}>
            Cancel
          </button>
        </form>
      </li>
    );
  }

  return (
    <li>
      <span className="row-text">
        <span>{passkey.name}</span>
        <small>
          {passkey.isBarred
            ? 'Blocked: it may have been copied. Delete it and add a new one.'
            : `Added ${new Date(passkey.createdTime).toLocaleDateString()}`}
        </small>
      </span>
      <span className="row-actions">
        <button
          type="button"
          className="quiet"
          aria-label={`Rename ${passkey.name}`}
          onClick={() => setName(passkey.name)}
        >
          Rename
        </button>
        <button type="button" className="quiet" aria-label={`Delete ${passkey.name}`} onClick={() => onRemove(passkey)}>
          Delete
        </button>
      </span>
    </li>
  );
}
