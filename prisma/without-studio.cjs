// The Prisma command line loads its studio and its development server whatever it is asked for. With their packages they
// take 130 MB, and nothing here starts them: `overrides` in package.json installs a small package in place of each, and
// they are loaded as empty modules.
const Module = require('node:module');

const load = Module._load;
Module._load = function (name, ...rest) {
  return /^@prisma\/(dev|studio-core)(\/|$)/.test(name) ? {} : load.call(this, name, ...rest);
};
