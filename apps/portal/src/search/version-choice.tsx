import styles from './search-page.module.css';
import type { VersionsOfInstance } from './use-versioned-context.ts';

interface VersionChoiceProps {
  choice: VersionsOfInstance;
  onChoose(instance: string, version: string): void;
}

export function VersionChoice({ choice: { instance, versions, chosen }, onChoose }: VersionChoiceProps) {
  return (
    <label className={styles.version}>
      Version of the {instance === 'default' ? 'developer' : instance} docs
      <select value={chosen} onChange={(event) => onChoose(instance, event.target.value)}>
        {versions.map(({ name, label }) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}
