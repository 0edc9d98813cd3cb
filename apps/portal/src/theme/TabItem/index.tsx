import { useTabs } from '@docusaurus/theme-common/internal';
import type { ReactNode } from 'react';
import styles from './tab-item.module.css';

interface Props {
  value: string;
  label?: string;
  className?: string;
  children: ReactNode;
}

/** The panel of a tab. On paper and without scripts, where no tab can be pressed, all panels are shown below each other with their labels. */
export default function TabItem({ value, label = value, className = '', children }: Props) {
  const { selectedValue } = useTabs();
  return (
    <div role="tabpanel" className={`${styles.panel} ${className}`} data-label={label} hidden={value !== selectedValue}>
      {children}
    </div>
  );
}
