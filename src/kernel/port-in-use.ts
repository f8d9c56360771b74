/** Adds what to do to the error of a port that is in use. `setting` is the one that has the port. */
export function withPortHint(error: unknown, setting: string): unknown {
  if (error instanceof Error && (error as NodeJS.ErrnoException).code === 'EADDRINUSE') {
    error.message += `. Set ${setting} to another port, or stop the program that uses this one.`;
  }
  return error;
}
