import { statSync } from 'node:fs';

/**
 * Notices that the file of a database was deleted or replaced. Its connections keep the old file open: they would write
 * to what nobody can read after the process has ended.
 */
export function watchFile(path: string): { check(): void } {
  const identity = () => {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat && `${stat.dev}.${stat.ino}`;
  };
  const opened = identity();
  return {
    /** Throws if the path is not the file that was opened. */
    check() {
      const now = identity();
      if (now === opened) return;
      throw new Error(
        `The database file was ${now ? 'replaced' : 'deleted'}. Restore it and restart the server.`,
      );
    },
  };
}
