// Made by `npm run build`.
