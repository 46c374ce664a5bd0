"""What the lessons compute: small fits and questions, without Streamlit."""
