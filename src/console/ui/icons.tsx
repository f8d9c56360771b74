/** The icon of the product, as src/http/icon.ts draws it. */
export const Logo = () => <img src="/favicon.svg" alt="" width="22" height="22" />;

const path = (d: string) => (
  <svg
    width="16"
    height="16"
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.5"
    aria-hidden="true"
  >
    <path d={d} strokeLinecap="round" strokeLinejoin="round" />
  </svg>
);

export const SearchIcon = () => path('M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.6-1.4L14 14');
export const ChevronIcon = () => path('M6 4l4 4-4 4');
export const SwitchIcon = () => path('M5 6l3-3 3 3M5 10l3 3 3-3');
export const UserIcon = () =>
  path('M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm-5.5 6c.6-2.6 2.8-4 5.5-4s4.900 1.400 5.500 4');
export const TeamIcon = () =>
  path(
    'M5.500 7.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5ZM1 13.500c.3-2.300 2-4 4.500-4s4.200 1.700 4.500 4M10.500 2.800a2.400 2.400 0 0 1 0 4.500M12 9.700c1.700.5 2.800 1.900 3 3.800',
  );
export const ApplicationIcon = () =>
  path(
    'M2.500 2.500h4.500v4.500H2.500zM9 2.500h4.500v4.500H9zM2.500 9h4.500v4.500H2.500zM9 9h4.500v4.500H9z',
  );
export const ComponentIcon = () =>
  path('M8 1.800l5.500 3.100v6.200L8 14.200l-5.500-3.100V4.900zM2.700 5L8 8l5.300-3M8 8v6');
export const PortIcon = () =>
  path('M2 8h5M11.500 4.500A3.500 3.500 0 1 1 7 8a3.500 3.500 0 0 1 4.500-3.400M11 8h.010M14 8h1');
export const GlobeIcon = () =>
  path(
    'M8 14.200A6.200 6.200 0 1 0 8 1.800a6.200 6.200 0 0 0 0 12.400ZM2 8h12M8 1.800c2 2 2.600 4 2.600 6.200S10 12.200 8 14.200M8 1.800c-2 2-2.600 4-2.600 6.200S6 12.200 8 14.200',
  );
export const CopyIcon = () => path('M5.500 5.500h7.500v8H5.500zM10.500 5.500v-3H3v8h2.500');
export const CopiedIcon = () => path('M3 8.500l3.200 3.200L13 4.800');
export const NewTabIcon = () => path('M6.500 3.500h-3v9h9v-3M9 3h4v4M13 3L7.500 8.500');
