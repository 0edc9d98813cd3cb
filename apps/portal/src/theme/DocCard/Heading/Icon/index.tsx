import styles from './icon.module.css';

/** A folder or a sheet, drawn as SVG, so that it looks the same on every system. */
const drawings = {
  category: 'M2.5 5.5v10h15v-8H10l-2-2z',
  link: 'M5 2.5v15h10v-11l-4-4zm6 0v4h4M7.5 10.5h5m-5 3h5',
};

export default function DocCardHeadingIcon({ item }: { item: { type: keyof typeof drawings } }) {
  return (
    <svg className={styles.icon} viewBox="0 0 20 20" width="22" height="22" aria-hidden="true">
      <path d={drawings[item.type]} />
    </svg>
  );
}
