declare module 'virtual:actions' {
  /** The actions in words, from src/kernel/actions.ts. */
  export const groups: readonly {
    title: string;
    place: import('./actions.ts').Size;
    actions: readonly (readonly [action: import('./actions.ts').Action, words: string])[];
  }[];
}
