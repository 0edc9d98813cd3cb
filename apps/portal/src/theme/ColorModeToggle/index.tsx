import IconDarkMode from '@theme/Icon/DarkMode';
import IconLightMode from '@theme/Icon/LightMode';
import styles from './color-mode-toggle.module.css';

interface Props {
  className?: string;
  buttonClassName?: string;
  value: 'light' | 'dark' | null;
  onChange: (mode: 'light' | 'dark') => void;
}

/** Toggles light and dark. It can be pressed before the scripts have started: config/page-template.ts remembers it. */
export default function ColorModeToggle({ className = '', buttonClassName = '', value, onChange }: Props) {
  const mode = value === 'dark' ? 'dark mode' : 'light mode';
  return (
    <div className={`${styles.toggle} ${className}`}>
      <button
        className={`clean-btn ${styles.button} ${buttonClassName}`}
        type="button"
        title={mode}
        aria-label={`Switch between dark and light mode (currently ${mode})`}
        onClick={() => onChange(value === 'dark' ? 'light' : 'dark')}
      >
        <IconLightMode aria-hidden className={`${styles.icon} ${styles.light}`} />
        <IconDarkMode aria-hidden className={`${styles.icon} ${styles.dark}`} />
      </button>
    </div>
  );
}
