import app.sub.use
