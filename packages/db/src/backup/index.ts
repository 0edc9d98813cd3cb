export { BackupError, type BackupHeader } from './format.ts';
export { backupMetrics } from './metrics.ts';
export { recordDrill } from './record-drill.ts';
export { type RestoreReport, restoreBackup, restoreSigner, signerCopy } from './restore-backup.ts';
export { type BackupReport, writeBackup } from './write-backup.ts';
